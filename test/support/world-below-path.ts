import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
  type Overrides,
} from './app.ts'
import type { Send } from './oauth.ts'
import { unescapeHtml } from './pages.ts'

// A world whose base URL has a path. The app sees its requests without the path, as the entry of the Worker hands them
// over.

export const BASE_PATH = '/u/abcdefghijklmnopqrstuvwx'
export const BASE_URL = ORIGIN + BASE_PATH

/** Metadata that is at the origin, with the path at its end. */
const METADATA = new RegExp(`^${ORIGIN}/\\.well-known/oauth-(?:authorization-server|protected-resource)${BASE_PATH}\\b`)

export function createWorld(overrides: Overrides = {}): Client {
  return createClient({ baseUrlOf: () => BASE_URL, ...overrides })
}

/** An account of the world, with a token that the world has issued. */
export async function createInhabitant(world: Client): Promise<Account> {
  const account = await createAccount(world)
  const { email, password } = account
  // From an address of its own, because the attempts of one are limited.
  const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': randomAddress() }
  const body = JSON.stringify({ email, password })
  const { token } = await bodyOf(await world.send('/auth/token', { method: 'POST', headers, body }))
  return { ...account, token }
}

function randomAddress(): string {
  return crypto.randomUUID().replaceAll('-', '').match(/.{4}/g)?.join(':') ?? ''
}

/** Follows what the world says of itself: only paths below its own, which the app gets without it. */
export function follow(world: Client): Send {
  return (path, init) => {
    if (!path.startsWith(`${BASE_PATH}/`)) throw new Error(`${path} does not lead to this world`)
    return world.send(path.slice(BASE_PATH.length), init)
  }
}

/** Sends requests with and without the path of the world, for tests that begin without it and follow what they get. */
export function tolerant(world: Client): Client {
  const below = follow(world)
  return { ...world, send: (path, init) => (path.startsWith(BASE_PATH) ? below : world.send)(path, init) }
}

/** Reads the JSON of a URL of the world. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function readAt(world: Client, url: string, account?: Account): Promise<any> {
  if (!url.startsWith(ORIGIN)) throw new Error(`${url} is at another origin`)
  return await bodyOf(await follow(world)(url.slice(ORIGIN.length), { headers: authorization(account) }))
}

/** The text of a response of any media type. */
export async function textOf(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer())
}

/** The URLs in a response that do not lead to the world. */
export async function findStrayUrls(response: Response): Promise<string[]> {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const type = response.headers.get('Content-Type') ?? ''
  const body = /^(?:text\/|application\/)/.test(type) ? await textOf(response) : ''
  const isPage = type.startsWith('text/html')
  return [
    ...strayAbsoluteUrls(`${headers}\n${body}`),
    ...strayLinks(response.headers),
    ...(isPage ? strayAttributes(body) : strayPages(body)),
  ]
}

function strayAbsoluteUrls(text: string): string[] {
  const urls = [...text.matchAll(/(?:https?|\{protocol\}):\/\/galaxy\.test[^\s"'<>&\\),;]*/g)].map(([url]) => url)
  const isOwn = (url: string) => new RegExp(`^[^/]+//galaxy\\.test${BASE_PATH}(?![a-z0-9])`).test(url)
  return urls.filter((url) => !isOwn(url) && !METADATA.test(url))
}

function strayLinks(headers: Headers): string[] {
  const location = headers.get('Location') ?? ''
  const links = [...(headers.get('Link') ?? '').matchAll(/<([^>]*)>/g)].map(([, link = '']) => link)
  return [location, ...links].filter(isStrayPath)
}

/** The attributes of a page that are root-relative. What a person has sent is only in `value`. */
function strayAttributes(page: string): string[] {
  const attributes = [...page.matchAll(/ ([\w-]+)="([^"]*)"/g)]
  return attributes
    .filter(([, name, value = '']) => name !== 'value' && isStrayPath(unescapeHtml(value)))
    .map(([attribute]) => attribute)
}

/** The links to pages of lists in a document. */
function strayPages(text: string): string[] {
  const links = [...text.matchAll(/(?<![\w}])\/[\w/-]+\?[\w&=;]*limit=/g)].map(([link]) => link)
  return links.filter(isStrayPath)
}

function isStrayPath(path: string): boolean {
  return path.startsWith('/') && !path.startsWith(`${BASE_PATH}/`)
}
