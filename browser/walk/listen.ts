import { CallFailed } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { socketUrlOf } from '../lib/socket-url.ts'

// Listens to the streams of the service for the creation of a planet.

const WAIT_MS = 30_000

/** Where the page listens. Both need no credentials. */
export const STREAM_PATH = '/planets/events'
/** The planet exists before the page knows its id, so the socket begins with earlier events. */
export const socketPathOf = (planetId: number) => `/ws/v1/planets/${planetId}/events?includeHistory=true`

/** Opens a source of events. @returns A function that closes it */
type Open<Result> = (resolve: (result: Result) => void, refuse: () => void) => () => void

/** Server-sent events about planets that are created. */
export interface CreatedStream {
  /** The id of the event of a planet. @throws CallFailed if it does not come within half a minute */
  idFor(planetId: number): Promise<string>
  close(): void
}

/**
 * Connects to the stream.
 *
 * @throws CallFailed if that is refused, or takes more than half a minute
 */
export async function openCreatedStream(signal: AbortSignal): Promise<CreatedStream> {
  const ids = new Map<number, string>()
  const source = new EventSource(urlOf(STREAM_PATH))
  const heard = new EventTarget()
  source.addEventListener('created', ({ lastEventId, data }: MessageEvent<string>) => {
    ids.set(JSON.parse(data).planet.id, lastEventId)
    heard.dispatchEvent(new Event('created'))
  })
  const close = () => source.close()
  const idFor = (planetId: number) =>
    waitFor<string>('as a server-sent event', signal, (resolve) => {
      const look = () => {
        const id = ids.get(planetId)
        if (id !== undefined) resolve(id)
      }
      heard.addEventListener('created', look)
      look()
      return close
    })
  await waitFor<void>('as a server-sent event', signal, (resolve, refuse) => {
    source.onopen = () => resolve()
    source.onerror = () => source.readyState === EventSource.CLOSED && refuse()
    return () => source.readyState !== EventSource.OPEN && close()
  })
  return { idFor, close }
}

/** The id of the event with which a planet was created, from its channel. @throws CallFailed */
export function listenOnSocket(planetId: number, signal: AbortSignal): Promise<string> {
  return waitFor('on the socket', signal, (resolve, refuse) => {
    const socket = new WebSocket(socketUrlOf(urlOf(socketPathOf(planetId))), 'galaxy.v1')
    socket.onmessage = ({ data }) => {
      const { eventType, eventId } = JSON.parse(data)
      if (eventType === 'planet.created') resolve(eventId)
    }
    socket.onclose = () => refuse()
    return () => socket.close()
  })
}

/** @param way How the event should arrive, in words for the user */
function waitFor<Result>(way: string, signal: AbortSignal, open: Open<Result>): Promise<Result> {
  const end = new AbortController()
  const waited = new Promise<Result>((resolve, reject) => {
    const fail = (message: string) => reject(new CallFailed(message, 'Check that you are online, then try again.'))
    const timer = setTimeout(() => fail(`The event has not arrived ${way} within half a minute.`), WAIT_MS)
    const close = open(resolve, () => fail(`The event cannot arrive ${way}: the service has ended the connection.`))
    signal.addEventListener('abort', () => reject(signal.reason), { signal: end.signal })
    end.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      close()
    })
  })
  return waited.finally(() => end.abort())
}
