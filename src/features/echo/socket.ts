const OPEN_SECONDS = 60
const MESSAGE_MAX_BYTES = 1024 * 1024

/** Of all messages together: who sends and never reads fills the memory of the service. */
const TOTAL_MAX_BYTES = 64 * 1024 * 1024

/** Codes of RFC 6455, section 7.4.1. */
const NORMAL = 1000
const REFUSED = 1008
const TOO_BIG = 1009

/** Whether a request opens a WebSocket (RFC 6455, section 4.1). */
export function opensSocket({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('Upgrade')?.toLowerCase() === 'websocket'
}

/** Opens a WebSocket that sends back every message as it came, for a minute. */
export function openSocket(headers: Headers, wait: (milliseconds: number) => Promise<void>): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.binaryType = 'arraybuffer'
  let total = 0
  server.addEventListener('message', ({ data }) => {
    total += sizeOf(data)
    if (total > TOTAL_MAX_BYTES) close(server, REFUSED, `An echo sends back ${TOTAL_MAX_BYTES} bytes at most.`)
    else answer(server, data)
  })
  server.addEventListener('close', () => close(server, NORMAL, ''))
  void wait(OPEN_SECONDS * 1000).then(() => close(server, NORMAL, `An echo is open for ${OPEN_SECONDS} seconds.`))
  // Browsers give up where they have named protocols and get none of them.
  const [protocol = ''] = (headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim())
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol === '' ? {} : { 'Sec-WebSocket-Protocol': protocol },
  })
}

function answer(server: WebSocket, data: string | ArrayBuffer): void {
  if (server.readyState !== WebSocket.OPEN) return
  if (sizeOf(data) > MESSAGE_MAX_BYTES) close(server, TOO_BIG, `A message may have ${MESSAGE_MAX_BYTES} bytes at most.`)
  else server.send(data)
}

/** In bytes. */
function sizeOf(data: string | ArrayBuffer): number {
  return typeof data === 'string' ? new TextEncoder().encode(data).byteLength : data.byteLength
}

function close(server: WebSocket, code: number, reason: string): void {
  if (server.readyState === WebSocket.OPEN || server.readyState === WebSocket.CLOSING) server.close(code, reason)
}
