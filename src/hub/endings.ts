import { readHappening } from '../events/events-of.ts'
import type { LogRow } from '../events/happening.ts'
import type { SocketCredential } from '../events/subscription.ts'
import type { LogSource } from './log-source.ts'

/** A row of the log that ends credentials of a user: all of them, or one key or grant. */
interface Ending {
  place: number
  userId: number
  /** The only key or grant that has ended. Undefined if all credentials of the user have ended. */
  only: { keyId: number | undefined; grantId: string | undefined } | undefined
}

/** How many endings are kept in memory. */
const KEPT_MAX = 1000

/** The end of credentials that a row records; undefined if the row records no such end. */
export function endingOf(row: LogRow): Ending | undefined {
  // Rows of other kinds are not parsed.
  if (row.kind !== 'credential_ended' && row.kind !== 'user_deleted') return undefined
  const { place } = row
  const happening = readHappening(row)
  if (happening.kind === 'user_deleted') return { place, userId: happening.body.id, only: undefined }
  if (happening.kind !== 'credential_ended') return undefined
  const { userId, keyId, grantId } = happening.body
  const isAll = keyId === undefined && grantId === undefined
  return { place, userId, only: isAll ? undefined : { keyId, grantId } }
}

export function endsCredential({ userId, only }: Ending, credential: SocketCredential | null): boolean {
  if (credential?.userId !== userId) return false
  if (!only) return true
  const isKey = credential.keyId !== null && credential.keyId === only.keyId
  return isKey || (credential.grantId !== null && credential.grantId === only.grantId)
}

/** The newest endings that the hub has read from the log. */
export class RecentEndings {
  readonly #log: LogSource
  #endings: Ending[] = []
  /** All endings after this place are in memory. Undefined until `beginAt` is called. */
  #knownAfter: number | undefined

  constructor(log: LogSource) {
    this.#log = log
  }

  /** Keeps an ending. If there are too many, the oldest ending is forgotten. */
  add(ending: Ending): void {
    this.#endings.push(ending)
    if (this.#endings.length <= KEPT_MAX) return
    this.#knownAfter = this.#endings.shift()?.place
  }

  /** Forgets all endings. From now on, `add` gets every ending after this place. */
  beginAt(place: number): void {
    this.#endings = []
    this.#knownAfter = place
  }

  /**
   * Whether a credential has ended between two places. If the endings are no longer in memory, they are read from the
   * log.
   *
   * @param after The place at which the credential was valid
   * @param place The place up to which the hub has read the log
   * @throws Error of the database
   */
  async includes(credential: SocketCredential, after: number, place: number): Promise<boolean> {
    const areInMemory = this.#knownAfter !== undefined && this.#knownAfter <= after
    const endings = areInMemory ? this.#endings : await this.#readEndings(after, place)
    return endings.some((ending) => ending.place > after && endsCredential(ending, credential))
  }

  async #readEndings(after: number, place: number): Promise<Ending[]> {
    const endings: Ending[] = []
    for (let from = after; from < place; ) {
      const rows = await this.#log.readAfter(from)
      const last = rows.at(-1)
      if (!last) break
      endings.push(...rows.map(endingOf).filter((ending) => ending !== undefined))
      from = last.place
    }
    return endings
  }
}
