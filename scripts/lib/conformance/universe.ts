import { accountOf } from './account.ts'
import type { Members } from './answer.ts'
import { Client } from './client.ts'
import { bearer } from './credentials.ts'
import { NoAnswer } from './failure.ts'
import { hideSecrets, noteSecret } from './secrets.ts'
import { World } from './world.ts'

/**
 * A universe ends by itself after so many hours without a request. The minimum, for a run that is killed before it ends
 * it.
 */
const IDLE_HOURS = 1
/** How long the end of a universe may take. */
const END_TIMEOUT_MS = 10_000
/** How much of a response a message shows, in characters. */
const SHOWN_MAX = 300
const ALTERNATIVES = `Without a universe, --read-only runs the checks that change nothing, and --world URL names a world in which
accounts and planets may be created.`

/** The address cannot be tested. The message says why. */
export class CannotTest extends Error {}

/** Makes universes, and ends them. */
export class Universes {
  readonly #address: Client
  readonly #signal: AbortSignal
  readonly #made: Promise<World>[] = []

  /** @param signal Ends the requests in the universes */
  constructor({ url, signal, timeoutMs }: Client) {
    // An interruption waits for the response to this request, because nobody could end a universe without its address.
    this.#address = new Client(url, new AbortController().signal, timeoutMs)
    this.#signal = signal
  }

  /**
   * Makes a universe without planets.
   *
   * @throws CannotTest if the address makes none
   */
  make(): Promise<World> {
    const making = this.#make()
    this.#made.push(making)
    return making
  }

  async #make(): Promise<World> {
    const { url, owner, token } = await this.#request()
    noteSecret(owner.password)
    const account = { ...accountOf(owner.id, owner), credential: bearer(token) }
    return new World(new Client(url, this.#signal, this.#address.timeoutMs), 'everything', account)
  }

  async #request(): Promise<Members> {
    const path = '/universes'
    const answer = await this.#address.post(path, { json: { seed: 'blank', hours: IDLE_HOURS } }).catch((error) => {
      throw error instanceof NoAnswer
        ? new CannotTest(`${this.#address.url} cannot be reached: ${error.actual}.`)
        : error
    })
    const returned = `POST ${this.#address.url}${path} returned ${answer.status}`
    const location = answer.headers.get('Location')
    if (answer.status >= 300 && answer.status < 400) throw new CannotTest(`${returned}, a redirect to ${location}.`)
    const body = readJson(answer.text)
    if (answer.status === 201 && isUniverse(body)) return body
    const shown = hideSecrets(body?.detail ?? answer.text.slice(0, SHOWN_MAX))
    const type = answer.headers.get('Content-Type') ?? 'no type'
    throw new CannotTest(`${returned} and no universe (${type}): ${shown}\n${ALTERNATIVES}`)
  }

  /** Ends all universes, also those that are still being made. @returns Those that could not be ended */
  async end(): Promise<World[]> {
    const made = (await Promise.allSettled(this.#made)).flatMap((making) =>
      making.status === 'fulfilled' ? making.value : [],
    )
    const ended = await Promise.all(made.map(async (world) => [world, await this.#tryToEnd(world)] as const))
    return ended.filter(([, isEnded]) => !isEnded).map(([world]) => world)
  }

  async #tryToEnd(world: World): Promise<boolean> {
    // The run may have been aborted by now, so its signal would end this request at once.
    const client = new Client(world.url, new AbortController().signal, END_TIMEOUT_MS)
    const as = await world.credential()
    const answer = await client.send('DELETE', '/universe', { as }).catch(() => undefined)
    // 410: a check has ended the universe.
    return answer?.status === 204 || answer?.status === 410
  }
}

function readJson(text: string): Members | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the body of a response has what the checks need. */
function isUniverse(body: Members | undefined): body is Members {
  const { url, token, owner } = body ?? {}
  return typeof token === 'string' && typeof owner?.password === 'string' && URL.canParse(url) && /^https?:/.test(url)
}
