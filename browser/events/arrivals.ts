// The frames that have arrived on a socket.

/** A frame, as the list shows it. */
export interface Arrival {
  /** Its number since the page was loaded. */
  number: number
  /** When it arrived (RFC 3339). */
  at: string
  text: string
  /** The type of the event, or a name for any other frame. */
  title: string
  /** The subject, such as the name of a planet. */
  subject: string
}

/** The maximum number of frames in the list. */
export const SHOWN_MAX = 200

// biome-ignore lint/suspicious/noExplicitAny: a stranger may have sent anything, and each member is checked
type Anything = any

/** Reads a frame. Its content is not trusted. */
export function readArrival(text: string, number: number, at: Date): Arrival {
  const frame = parse(text)
  return {
    number,
    at: at.toISOString(),
    text,
    title: titleOf(frame),
    subject: subjectOf(frame),
  }
}

function parse(text: string): Anything {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function titleOf(frame: Anything): string {
  if (typeof frame?.eventType === 'string') return frame.eventType
  if (frame?.subscriptionId !== undefined) return frame.gap === true ? 'Subscribed, with a gap' : 'Subscribed'
  if (frame?.status !== undefined && frame?.title !== undefined) return 'Problem'
  return frame?.id === undefined ? 'Frame' : 'Planet'
}

function subjectOf(frame: Anything): string {
  // Unlike null and undefined, the result of `Object` can always be destructured.
  const { planet, satellite, celestialBody, user, planetName, detail, name } = Object(frame)
  const bodies = [planet, satellite, celestialBody?.planet, celestialBody?.satellite, user]
  const names = [...bodies.map((body) => body?.name), planetName, detail, name].map(textOf)
  return names.find((text) => text !== undefined) ?? ''
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
