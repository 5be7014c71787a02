import type { Connectable } from '../../documents/events-page/connectable.ts'

// The URL of a socket, from the choices in the form, and the end of a socket in words.

/** The values of the form. */
export interface Choice {
  channel: string
  /** The ID of the planet or of the user. */
  id: string
  types: readonly string[]
  includesHistory: boolean
  lastEventId: string
  bodyType: string
  minHabitability: string
}

/** The path and the query of a socket, below the base URL. Choices that the channel does not offer are left out. */
export function pathOf({ address, types, hasBodyFilter }: Connectable, choice: Choice): string {
  const path = `/ws/v1/${address.replace(/\{\w+\}/, encodeURIComponent(choice.id))}`
  // The channel of requests has no events, so there is nothing to filter.
  if (types.length === 0) return path
  const chosen = choice.types.filter((type) => types.includes(type))
  const members: Record<string, string> = {
    eventTypes: chosen.join(','),
    includeHistory: choice.includesHistory ? 'true' : '',
    lastEventId: choice.lastEventId.trim(),
    ...(hasBodyFilter && { bodyType: choice.bodyType, minHabitability: choice.minHabitability }),
  }
  const query = new URLSearchParams(Object.entries(members).filter(([, value]) => value !== ''))
  return query.size === 0 ? path : `${path}?${query}`
}

const CATCH_UP =
  'You can connect again. To also get the events that you missed, first enter the eventId of the last received event under “Begin after this event”.'

/** How a socket ended, by its close code. */
const ENDS: Readonly<Record<number, string>> = {
  1000: 'You have disconnected.',
  1009: 'The service ended the socket: a frame was too large.',
  1012: 'The universe was reset, or has ended.',
  1013: `The service ended the socket: this page read too slowly, sent too many requests at once, or the log of events could not be read. ${CATCH_UP}`,
  4401: 'Your session has ended. Sign in again, then connect.',
}

/**
 * @param code RFC 6455, section 7.4
 * @param wasOpen Whether the socket was open before
 */
export function explainEnd(code: number, wasOpen: boolean): string {
  if (!wasOpen)
    return 'The service has refused the socket, or cannot be reached. Browsers do not say why. Check the ID, and whether you are signed in.'
  return ENDS[code] ?? `The connection was lost. ${CATCH_UP}`
}
