import { CallFailed } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { socketUrlOf } from '../lib/socket-url.ts'

// Listens to the streams of the service for the creation of a planet.

const WAIT_MS = 30_000

/** Where the page listens. Neither the stream nor the socket needs credentials. */
export const STREAM_PATH = '/planets/events'
/** The planet exists before the page knows its id, so the socket begins with earlier events. */
export const socketPathOf = (planetId: number) => `/ws/v1/planets/${planetId}/events?includeHistory=true`

/**
 * Begins to listen. Calls `resolve` with the result, or `fail` if the connection has ended.
 *
 * @returns A function that stops listening
 */
type Listen<Result> = (resolve: (result: Result) => void, fail: () => void) => () => void

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
  const newIds = new EventTarget()
  source.addEventListener('created', ({ lastEventId, data }: MessageEvent<string>) => {
    ids.set(JSON.parse(data).planet.id, lastEventId)
    newIds.dispatchEvent(new Event('created'))
  })
  const close = () => source.close()
  const idFor = (planetId: number) =>
    waitFor<string>('as a server-sent event', signal, (resolve) => {
      const look = () => {
        const id = ids.get(planetId)
        if (id !== undefined) resolve(id)
      }
      newIds.addEventListener('created', look)
      look()
      return close
    })
  await waitFor<void>('as a server-sent event', signal, (resolve, fail) => {
    source.onopen = () => resolve()
    // If the source is not closed, the browser connects again.
    source.onerror = () => source.readyState === EventSource.CLOSED && fail()
    // An open source stays open for `idFor`.
    return () => source.readyState !== EventSource.OPEN && close()
  })
  return { idFor, close }
}

/** The id of the event with which a planet was created, from its channel. @throws CallFailed */
export function listenOnSocket(planetId: number, signal: AbortSignal): Promise<string> {
  return waitFor('on the socket', signal, (resolve, fail) => {
    const socket = new WebSocket(socketUrlOf(urlOf(socketPathOf(planetId))), 'galaxy.v1')
    socket.onmessage = ({ data }) => {
      const { eventType, eventId } = JSON.parse(data)
      if (eventType === 'planet.created') resolve(eventId)
    }
    socket.onclose = () => fail()
    return () => socket.close()
  })
}

/**
 * Listens until there is a result, and then stops.
 *
 * @param way How the event should arrive, in words for the user
 * @throws CallFailed if the connection ends, or if half a minute has passed
 * @throws The reason of the signal if it aborts the wait
 */
function waitFor<Result>(way: string, signal: AbortSignal, listen: Listen<Result>): Promise<Result> {
  const end = new AbortController()
  const waited = new Promise<Result>((resolve, reject) => {
    const fail = (message: string) => reject(new CallFailed(message, 'Check that you are online, then try again.'))
    const timer = setTimeout(() => fail(`The event has not arrived ${way} within half a minute.`), WAIT_MS)
    const stop = listen(resolve, () => fail(`The event cannot arrive ${way}: the service has ended the connection.`))
    signal.addEventListener('abort', () => reject(signal.reason), { signal: end.signal })
    end.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      stop()
    })
  })
  return waited.finally(() => end.abort())
}
