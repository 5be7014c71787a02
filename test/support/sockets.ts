import { expectDocumentedFrame } from './live-conformance.ts'

/** The client's end of a WebSocket of the service. */
export interface OpenSocket {
  response: Response
  socket: WebSocket
  /** The frames that were received, in order. */
  frames: string[]
  closed: Promise<[code: number, reason: string]>
  /** Resolves with all frames when there are this many. */
  until(count: number): Promise<string[]>
}

type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Which channel of the AsyncAPI document a path has. */
const CHANNELS = [
  [/planets\/[^/]+\/events/, 'planetEvents'],
  [/planets\/[^/]+\/get/, 'planetRequest'],
  [/users\/[^/]+\/events/, 'userEvents'],
  [/system\/events/, 'systemEvents'],
  [/celestial-bodies\/events/, 'celestialBodyEvents'],
] as const

/**
 * Opens a WebSocket at a path below `/ws/v1/`, unless the path begins with a slash. Each frame is compared with the
 * AsyncAPI document: if it differs, `until` and `closed` fail.
 */
export async function openSocket(
  { sendRaw }: { sendRaw: Send },
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenSocket> {
  const response = await askForSocket({ sendRaw }, path, headers)
  if (!response.webSocket) throw new Error(`no WebSocket, but ${response.status}: ${await response.text()}`)
  const [, channel] = CHANNELS.find(([pattern]) => pattern.test(path)) ?? []
  if (channel === undefined) throw new Error(`${path} is no channel`)
  const envelope = response.headers.get('Sec-WebSocket-Protocol') === 'galaxy.envelope.v1'
  return follow(response, response.webSocket, (frame) => expectDocumentedFrame(channel, frame, { envelope }))
}

/** The same request, whatever the answer is. */
export async function askForSocket(
  { sendRaw }: { sendRaw: Send },
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const full = path.startsWith('/') ? path : `/ws/v1/${path}`
  return await sendRaw(full, { headers: { Upgrade: 'websocket', ...headers } })
}

/**
 * Listens to a socket that was opened.
 *
 * @param check Throws if a frame is wrong
 */
export function follow(response: Response, socket: WebSocket, check: (frame: string) => void = () => {}): OpenSocket {
  const frames: string[] = []
  const wrong = Promise.withResolvers<never>()
  wrong.promise.catch(() => {})
  let noteFrame = () => {}
  socket.addEventListener('message', ({ data }) => {
    try {
      // The answer to a text `ping`, which is no message.
      if (data !== 'pong') check(String(data))
    } catch (error) {
      wrong.reject(error)
    }
    frames.push(String(data))
    noteFrame()
  })
  const closed = new Promise<[number, string]>((resolve) =>
    socket.addEventListener('close', ({ code, reason }) => resolve([code, reason])),
  )
  socket.accept()
  const received = (count: number) =>
    new Promise<string[]>((resolve) => {
      noteFrame = () => frames.length >= count && resolve([...frames])
      noteFrame()
    })
  return {
    ...{ response, socket, frames },
    closed: Promise.race([wrong.promise, closed]),
    until: (count) => Promise.race([wrong.promise, received(count)]),
  }
}
