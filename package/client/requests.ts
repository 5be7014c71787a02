import { randomUUID } from 'node:crypto'
import { strangerIn } from './stranger.ts'
import type { UniverseOptions } from './universe.ts'

// The requests of the library. They are sent in its own thread.

/** What is known of a universe. It is passed from one request to the next. */
export interface UniverseState {
  url: string
  owner: { email: string; password: string }
  token: string
  /** When the token was made, by the clock of the thread: tests set theirs. */
  tokenMadeAt: number
}

/** The age at which a token is replaced: half of the time for which it is valid. */
const TOKEN_AGE_MAX_MS = 30 * 60_000

/** A server that has stopped to answer must not hold a test run for ever. */
const ANSWER_TIMEOUT_MS = 60_000

const GONE = 410

/** @throws Error if no Galaxy that runs answers at this base URL */
export async function checkServer(base: string): Promise<void> {
  // With an id of its own, so that the first request of the user gets the first id of a seed.
  await send('GET', `${base}/healthz`, { headers: { 'X-Request-ID': randomUUID() } })
}

/** @param server The base URL of the common world */
export async function makeUniverse(server: string, { seed, hours = 1 }: UniverseOptions = {}): Promise<UniverseState> {
  const tokenMadeAt = Date.now()
  const { url, owner, token } = await send('POST', `${server}/universes`, { body: { seed, hours } })
  return { url, owner, token, tokenMadeAt }
}

/** @returns What is known now: the token may be a new one */
export async function resetUniverse(state: UniverseState): Promise<UniverseState> {
  return await sendAsOwner('POST', '/universe/reset', state)
}

/** One that has ended already is no error. */
export async function endUniverse(state: UniverseState): Promise<UniverseState> {
  return await sendAsOwner('DELETE', '/universe', state).catch((error) => {
    if (!(error instanceof RefusedError && error.status === GONE)) throw error
    return state
  })
}

async function sendAsOwner(method: string, path: string, state: UniverseState): Promise<UniverseState> {
  const current = Date.now() - state.tokenMadeAt > TOKEN_AGE_MAX_MS ? await signIn(state) : state
  await send(method, current.url + path, { token: current.token })
  return current
}

async function signIn(state: UniverseState): Promise<UniverseState> {
  const tokenMadeAt = Date.now()
  const { token } = await send('POST', `${state.url}/auth/token`, { body: state.owner })
  return { ...state, token, tokenMadeAt }
}

/** A response that is not the expected one. */
class RefusedError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

interface Content {
  token?: string
  body?: object
  headers?: Readonly<Record<string, string>>
}

/**
 * Sends a request, and reads the JSON of the response if there is any.
 *
 * @throws Error that says what was sent, and who has answered if it was no Galaxy, or what the problem of the response
 *   says (RFC 9457)
 */
async function send(method: string, url: string, { token, body, headers = {} }: Content) {
  const request = `${method} ${url}`
  const response = await fetch(url, {
    method,
    headers: {
      Accept: 'application/json',
      ...headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  }).catch(({ message, cause }) => {
    throw new Error(
      `${request}: the server cannot be reached (${cause?.code ?? cause?.message ?? message}). Has it ended?`,
    )
  })
  const text = await response.text()
  const stranger = strangerIn(response)
  if (stranger !== undefined) throw new Error(`${request}: ${stranger}`)
  if (!response.ok) throw new RefusedError(`${request}: ${response.status} ${reasonIn(text)}`, response.status)
  return text === '' ? undefined : parse(text)
}

function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the body of an error says: the detail of a problem with the members that are wrong, or the text itself. */
function reasonIn(text: string): string {
  try {
    const { detail, errors } = JSON.parse(text)
    return [detail ?? text, ...(errors ? [JSON.stringify(errors)] : [])].join(' ')
  } catch {
    return text
  }
}
