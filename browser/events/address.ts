import type { Connectable } from '../../src/site/events/connectable.ts'

// Writes the choices of the form as the URL of a socket.

/** The values of the form. */
export interface Choice {
  /** The name of the channel. */
  channel: string
  /** The ID of the planet or of the user. */
  id: string
  types: readonly string[]
  includesHistory: boolean
  lastEventId: string
  bodyType: string
  minHabitability: string
}

/**
 * The path and the query of a socket, below the base URL.
 *
 * @param id The value of the parameter in the path
 */
export function pathOf({ address, types, hasBodyFilter }: Connectable, choice: Choice): string {
  const path = `/ws/v1/${address.replace(/\{\w+\}/, encodeURIComponent(choice.id))}`
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

const CODES: Readonly<Record<number, string>> = {
  1000: 'You have disconnected.',
  1009: 'The service ended the socket: a frame was too large.',
  1012: 'The universe was reset, or has ended.',
  1013: 'This page read too slowly. Connect again to get what it has missed.',
  4401: 'Your session has ended. Sign in again, then connect.',
}

/**
 * Explains the end of a socket.
 *
 * @param code RFC 6455, section 7.4
 * @param wasOpen Whether the socket was open before
 */
export function explainEnd(code: number, wasOpen: boolean): string {
  if (!wasOpen)
    return 'The service has refused the socket, or cannot be reached. Browsers do not say why. Check the ID, and whether you are signed in.'
  return CODES[code] ?? 'The connection was lost. Connect again to get what this page has missed.'
}
