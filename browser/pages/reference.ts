// Loads the bundle (Scalar) on the page of the API reference, where readers can try calls. If somebody has signed in,
// the calls have the token of this tab from the start. This script changes some details of the bundle:
// - A page cannot set the header Cookie. So the browser stores the cookies of a call while the call lasts, with the
//   path of this world.
// - Empty credentials are not sent.
// - The fragments of links to operations have no braces, and older links that have them still lead there.
// - The URL to which the popup of an OAuth sign-in returns is made absolute, because OAuth requires it.

import { operationSlug, withoutBraces } from '../../src/site/operation-anchor.ts'
import { BASE_PATH, urlOf } from '../lib/base.ts'
import { loadSession } from '../lib/session.ts'
import theme from '../styles/reference-theme.css' with { type: 'text' }
import tokens from '../styles/tokens.css' with { type: 'text' }

/** A cookie or a credential of a call, as the bundle describes it. */
interface Field {
  name: string
  value: string
  in?: string
  isDisabled?: boolean
}

/** The call that the bundle is about to make. */
interface Call {
  requestBuilder: { cookies: Field[]; security: Field[] }
}

/** An operation, as the bundle describes it. */
interface Operation {
  method: string
  path: string
}

/** The part of the bundle's configuration that this file changes. */
interface Configuration {
  authentication: { securitySchemes: Record<string, object>; preferredSecurityScheme?: string }
}

/** The member that the bundle adds to the global object. */
declare const Scalar: {
  createApiReference(element: Element, configuration: object): void
}

/** A cookie expires after this time even if the page is closed during the call. Calls take less. */
const COOKIE_SECONDS = 60

/** The cookies of the next call, from `takeOutCookies` to `fetchWithCookies`: the bundle calls them in this order. */
let cookies: Field[] = []

/** @param seconds How long the browser keeps the cookie; 0 deletes it */
function setCookie({ name, value }: Field, seconds: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is absent over http
  document.cookie = `${pair}; Path=${BASE_PATH || '/'}; SameSite=Strict; Max-Age=${seconds}${secure}`
}

function takeOutCookies({ requestBuilder: request }: Call): void {
  const credentials = request.security.filter(({ value }) => value !== '')
  const isCookie = (credential: Field) => credential.in === 'cookie'
  cookies = [...request.cookies.filter(({ isDisabled }) => !isDisabled), ...credentials.filter(isCookie)]
  request.security = credentials.filter((credential) => !isCookie(credential))
  request.cookies = []
}

async function fetchWithCookies(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { href } = new URL(input instanceof Request ? input.url : input, location.href)
  const cookiesOfCall = href.startsWith(urlOf('/')) ? cookies : []
  cookies = []
  for (const cookie of cookiesOfCall) setCookie(cookie, COOKIE_SECONDS)
  try {
    return await fetch(input, init)
  } finally {
    for (const cookie of cookiesOfCall) setCookie(cookie, 0)
  }
}

/** The configuration with the token of the signed-in user, if there is one. */
function withToken(configuration: Configuration): Configuration {
  const session = loadSession()
  if (!session) return configuration
  const { authentication } = configuration
  const securitySchemes = { ...authentication.securitySchemes, bearerAuth: { token: session.token } }
  return {
    ...configuration,
    authentication: { ...authentication, securitySchemes, preferredSecurityScheme: 'bearerAuth' },
  }
}

/** Says why no request can be sent, above the list of operations, which stays. */
function explainMissingReference(): void {
  const notice = document.querySelector<HTMLElement>('#not-started')
  if (!notice) return
  notice.textContent = isStorageBlocked()
    ? 'Your browser blocks the storage of this site (cookies and site data). The API reference needs it, so no request can be sent from this page. Allow it, then load the page again. Or use another client: the OpenAPI document has the same content.'
    : 'The API reference could not be loaded, so no request can be sent from this page. Load the page again.'
  notice.hidden = false
}

/** Even reading the global can throw. */
function isStorageBlocked(): boolean {
  try {
    return localStorage === null
  } catch {
    return true
  }
}

/** Makes the address of an older link the current one. */
function updateLink(): void {
  const hash = withoutBraces(location.hash)
  if (hash !== location.hash) history.replaceState(history.state, '', hash)
}

/** Starts the bundle in its element. If the bundle has thrown, it is not there. */
function start(element: HTMLElement): void {
  if (!('Scalar' in globalThis)) {
    explainMissingReference()
    return
  }
  const { configuration = '{}', url, redirect = '' } = element.dataset
  // If the list of operations stayed, the bundle would mistake it for its own output.
  element.replaceChildren()
  updateLink()
  // Added before the bundle adds its own, so that this one runs first.
  addEventListener('popstate', updateLink)
  Scalar.createApiReference(element, {
    ...withToken(JSON.parse(configuration)),
    url,
    customCss: tokens + theme,
    oauth2RedirectUri: new URL(redirect, location.href).href,
    customFetch: fetchWithCookies,
    generateOperationSlug: ({ method, path }: Operation) => operationSlug(method, path),
    plugins: [
      () => ({ name: 'cookies', extensions: [], apiClientPlugins: [{ hooks: { beforeRequest: takeOutCookies } }] }),
    ],
  })
}

function load(element: HTMLElement): void {
  const script = document.createElement('script')
  script.src = element.dataset.bundle ?? ''
  script.addEventListener('load', () => start(element))
  script.addEventListener('error', explainMissingReference)
  document.head.append(script)
}

/** A browser that does not say when it has drawn something is given the time for a frame. */
function afterFirstPaint(then: () => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes('paint')) {
    requestAnimationFrame(() => setTimeout(then))
    return
  }
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    then()
  })
  observer.observe({ type: 'paint', buffered: true })
}

const element = document.querySelector<HTMLElement>('#reference')
// The list of operations is drawn before the bundle is requested. It does not need the bundle, which is large.
if (element) afterFirstPaint(() => load(element))
