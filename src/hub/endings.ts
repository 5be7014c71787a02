import { readHappening } from '../events/events-of.ts'
import type { LogRow } from '../events/happening.ts'
import type { SocketCredential } from '../events/subscription.ts'
import type { LogSource } from './log-source.ts'

/** The end of credentials of a user: of all, or of one key or grant. */
interface Ending {
  place: number
  userId: number
  /** Undefined if all credentials of the user have ended. */
  only: { keyId: number | undefined; grantId: string | undefined } | undefined
}

/** How many endings are kept in memory. */
const KEPT_MAX = 1000

/** The end of credentials that a row records; undefined if it records none. */
export function endingOf(row: LogRow): Ending | undefined {
  if (row.kind !== 'credential_ended' && row.kind !== 'user_deleted') return undefined
  const { place } = row
  const happening = readHappening(row)
  if (happening.kind === 'user_deleted') return { place, userId: happening.body.id, only: undefined }
  if (happening.kind !== 'credential_ended') return undefined
  const { userId, keyId, grantId } = happening.body
  const isAll = keyId === undefined && grantId === undefined
  return { place, userId, only: isAll ? undefined : { keyId, grantId } }
}

/** Whether this is the end of a credential. */
export function ends({ userId, only }: Ending, credential: SocketCredential | null): boolean {
  if (credential?.userId !== userId) return false
  if (!only) return true
  const isKey = credential.keyId !== null && credential.keyId === only.keyId
  return isKey || (credential.grantId !== null && credential.grantId === only.grantId)
}

/** The endings that the hub has read since it was started. */
export class RecentEndings {
  readonly #log: LogSource
  #endings: Ending[] = []
  /** All endings after this place are known. */
  #knownAfter: number | undefined

  constructor(log: LogSource) {
    this.#log = log
  }

  add(ending: Ending): void {
    this.#endings.push(ending)
    if (this.#endings.length <= KEPT_MAX) return
    this.#knownAfter = this.#endings.shift()?.place
  }

  /** Starts again: endings up to this place are not known. */
  beginAt(place: number): void {
    this.#endings = []
    this.#knownAfter = place
  }

  /**
   * Whether a credential has ended between two places. What this does not know is read from the log.
   *
   * @param after The place at which the credential was valid
   * @param place The place of the hub
   */
  async includes(credential: SocketCredential, after: number, place: number): Promise<boolean> {
    const known = this.#knownAfter !== undefined && this.#knownAfter <= after
    const endings = known ? this.#endings : await this.#read(after, place)
    return endings.some((ending) => ending.place > after && ends(ending, credential))
  }

  async #read(after: number, place: number): Promise<Ending[]> {
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
