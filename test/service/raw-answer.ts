import { connect } from 'node:net'

// An answer as it is on its connection, of which HTTP clients hide the end.

export interface RawAnswer {
  /** Everything that came, as Latin-1: one character for each byte. */
  text: string
  /** The status; undefined if not a byte came. */
  status: number | undefined
  /** The headers by their names in lower case. */
  headers: Map<string, string>
  /** The bytes after the head. */
  body: string
  /** When pieces of the answer came, in milliseconds after the request. */
  times: number[]
}

/** Sends a request and reads until the service closes the connection. */
export async function readRaw(
  url: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' }: { method?: string; body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const pieces: Buffer[] = []
  const times: number[] = []
  const started = Date.now()
  socket.on('data', (piece) => {
    pieces.push(piece)
    times.push(Date.now() - started)
  })
  socket.on('close', () => resolve())
  socket.on('error', () => resolve())
  const length: Record<string, string> = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: host, Connection: 'close', ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  await ended
  const text = Buffer.concat(pieces).toString('latin1')
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [start = '', ...fields] = head.split('\r\n')
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(start) ?? []
  return {
    text,
    status: status === undefined ? undefined : Number(status),
    headers: new Map(
      fields.map((field) => {
        const [name = '', ...value] = field.split(':')
        return [name.toLowerCase(), value.join(':').trim()]
      }),
    ),
    body: rest.join('\r\n\r\n'),
    times,
  }
}
