import { html } from 'hono/html'
import * as z from 'zod'
import { isRepresentationWanted, tagContent, type Validators, validatorHeaders } from '../../http/conditions.ts'
import { HTML, PAGE_POLICY, renderPage } from '../../http/errors/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { FileBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { NO_STORE } from '../../http/pipeline/send-reply.ts'
import { keysOf } from '../../lib/objects.ts'

/**
 * Runs before the bundle. Keeps a library in it from testing whether it can run text as code, which the
 * Content-Security-Policy of the page forbids.
 */
const SETUP = 'globalThis.__zod_globalConfig = { jitless: true }\n'

/**
 * Starts the bundle on the page of the API reference, and fixes three things for the calls that readers try there. A
 * page cannot set the header Cookie, so cookies are stored in the browser while the call lasts. Empty credentials are
 * not sent. The URL to which a popup returns is made absolute, as it must be.
 */
const START = `{
  const element = document.querySelector('#reference')
  let cookies = []

  const keepCookie = ({ name, value }, seconds) => {
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    const pair = encodeURIComponent(name) + '=' + encodeURIComponent(value)
    document.cookie = pair + '; Path=/; SameSite=Strict; Max-Age=' + seconds + secure
  }

  const takeOutCookies = ({ requestBuilder: request }) => {
    const credentials = request.security.filter(({ value }) => value !== '')
    const isCookie = (credential) => credential.in === 'cookie'
    cookies = [...request.cookies.filter(({ isDisabled }) => !isDisabled), ...credentials.filter(isCookie)]
    request.security = credentials.filter((credential) => !isCookie(credential))
    request.cookies = []
  }

  const fetchWithCookies = async (input, init) => {
    const { origin } = new URL(input.url ?? input, location.href)
    const cookiesOfCall = origin === location.origin ? cookies : []
    cookies = []
    for (const cookie of cookiesOfCall) keepCookie(cookie, 60)
    try {
      return await fetch(input, init)
    } finally {
      for (const cookie of cookiesOfCall) keepCookie(cookie, 0)
    }
  }

  Scalar.createApiReference(element, {
    ...JSON.parse(element.dataset.configuration),
    url: element.dataset.url,
    oauth2RedirectUri: new URL(element.dataset.redirect, location.href).href,
    customFetch: fetchWithCookies,
    plugins: [
      () => ({ name: 'cookies', extensions: [], apiClientPlugins: [{ hooks: { beforeRequest: takeOutCookies } }] }),
    ],
  })
}
`

/** A file, with validators so that a browser can check the copy that it has. */
interface File {
  mediaType: string
  content: BodyInit | null
  validators: Validators
  /** Further headers of the response. */
  headers?: Readonly<Record<string, string>>
}

const JAVASCRIPT = 'text/javascript'
const JSON_TYPE = 'application/json'

/** Registry: the files of the API reference, by name. */
const FILES = {
  'setup.js': (): Promise<File> => fileWithText(JAVASCRIPT, SETUP),
  // Served unchanged, as its package contains it (wrangler.toml, `[assets]`).
  'scalar.js': (context: RequestContext): Promise<File> => packagedFile(context, 'standalone.js', JAVASCRIPT),
  // The last line of the bundle names this source map, and the developer tools of browsers request it.
  'standalone.js.map': (context: RequestContext): Promise<File> =>
    packagedFile(context, 'standalone.js.map', JSON_TYPE),
  'start.js': (): Promise<File> => fileWithText(JAVASCRIPT, START),
  // The redirect URI of the page, which is an OAuth client. The popup for signing in ends here, and the reference reads
  // the response from the URL of the popup. That URL contains a secret, so the response here must not be cached.
  'oauth2-redirect': async (): Promise<File> => {
    const title = 'Back to the API reference'
    const page = await renderPage(title, html`<h1>${title}</h1>\n<p>You can close this window.</p>`)
    const headers = { 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': NO_STORE }
    return { ...(await fileWithText(HTML, page)), headers }
  },
}

/** A file that the package of the API reference ships. */
async function packagedFile({ services, baseUrl }: RequestContext, name: string, mediaType: string): Promise<File> {
  const asset = await services.assets.fetch(`${baseUrl}/${name}`)
  if (!asset.ok) throw new Error(`the API reference has no file ${name}: ${asset.status}`)
  return { mediaType, content: asset.body, validators: { etag: asset.headers.get('ETag') ?? '' } }
}

/** A file whose content is in this module. */
async function fileWithText(mediaType: string, content: string): Promise<File> {
  return { mediaType, content, validators: { etag: await tagContent(content, mediaType) } }
}

export const referenceFile = defineRoute({
  method: 'get',
  path: '/docs/{file}',
  operationId: 'getReferenceFile',
  tag: 'Documents',
  summary: 'Get a file of the API reference',
  description:
    'Returns the files of the API reference: the bundle of the Scalar API reference with its source map, a script that runs before it, a script that runs after it, and the page on which a sign-in from the reference ends.',
  since: '2.0.0',
  security: [],
  params: z.object({
    file: z.enum(keysOf(FILES)).meta({ description: 'The name of the file', examples: ['start.js'] }),
  }),
  responses: {
    200: {
      description: 'The file',
      files: [JAVASCRIPT, HTML, JSON_TYPE],
      headers: ['ETag', 'Content-Security-Policy'],
    },
    304: { description: 'The file has not changed', headers: ['ETag'] },
  },
  problems: ['precondition-failed'],
  async handle({ params }, context) {
    const { mediaType, content, validators, headers } = await FILES[params.file](context)
    if (!isRepresentationWanted(context.headers, validators)) return reply(304, undefined, validatorHeaders(validators))
    return reply(200, new FileBody(`${mediaType}; charset=utf-8`, content), {
      ...validatorHeaders(validators),
      ...headers,
    })
  },
})
