/** What a universe is made with. */
export interface UniverseOptions {
  /** `catalogue`, the default: all shipped planets, with their ids. `blank`: no planets. */
  seed?: 'catalogue' | 'blank' | undefined
  /**
   * After how many hours without a request it ends by itself: 1 to 168. The default is 1, so that killed test runs
   * leave nothing for long.
   */
  hours?: number | undefined
}

/** The whole service at a base URL of its own. `await using` removes it at the end of the block. */
export interface Universe extends AsyncDisposable {
  /** Its base URL, without a slash at the end. */
  readonly url: string
  /**
   * A token of its owner, who is user 1 and owns all planets of the catalogue. A token is valid for an hour. `reset`
   * replaces one that is older than half an hour, so read this member in each test, and keep no copy of it.
   */
  readonly token: string
  /** The owner's e-mail address and password, which are valid as long as the universe. */
  readonly owner: { readonly email: string; readonly password: string }
  /** Puts everything back to what the universe was made with. The owner stays, with the token. */
  reset(): Promise<void>
  /** Ends the universe, with everything in it. One that has ended already is no error. */
  remove(): Promise<void>
}

/** The age at which a token is replaced: half of the time for which it is valid. */
const TOKEN_AGE_MAX_MS = 30 * 60_000

const GONE = 410

/**
 * Makes a universe.
 *
 * @param server The base URL of the common world
 */
export async function makeUniverse(server: string, { seed, hours = 1 }: UniverseOptions = {}): Promise<Universe> {
  const { url, owner, ...made } = await send('POST', `${server}/universes`, { body: { seed, hours } })
  let token: string = made.token
  let madeAt = Date.now()

  const sendAsOwner = async (method: string, path: string) => {
    if (Date.now() - madeAt > TOKEN_AGE_MAX_MS) {
      const now = Date.now()
      token = (await send('POST', `${url}/auth/token`, { body: owner })).token
      madeAt = now
    }
    await send(method, url + path, { token })
  }
  const remove = async () => {
    await sendAsOwner('DELETE', '/universe').catch((error) => {
      if (!(error instanceof RefusedError && error.status === GONE)) throw error
    })
  }
  return {
    url,
    owner,
    get token() {
      return token
    },
    reset: () => sendAsOwner('POST', '/universe/reset'),
    remove,
    [Symbol.asyncDispose]: remove,
  }
}

/** A response that is not the expected one. */
class RefusedError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/**
 * Sends a request, and reads the JSON of the response if there is any.
 *
 * @throws Error that says what was sent, and what the problem of the response says (RFC 9457)
 */
async function send(method: string, url: string, { token, body }: { token?: string; body?: object }) {
  const request = `${method} ${url}`
  const response = await fetch(url, {
    method,
    headers: {
      Accept: 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((cause) => {
    throw new Error(`${request}: the server cannot be reached. Has it ended?`, { cause })
  })
  const text = await response.text()
  if (!response.ok) throw new RefusedError(`${request}: ${response.status} ${reasonIn(text)}`, response.status)
  return text === '' ? undefined : JSON.parse(text)
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
