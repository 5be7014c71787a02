import { connect, createServer, type Socket } from 'node:net'

/** A connection between clients and the service that a test can break. */
export interface BreakableLine {
  url: string
  /** How many bytes of the service have reached clients. */
  received(): number
  /** Breaks all connections. Until `mend`, new ones are broken immediately. */
  break(): void
  mend(): void
  close(): Promise<void>
}

export async function startBreakableLine(serviceUrl: string): Promise<BreakableLine> {
  const { hostname, port } = new URL(serviceUrl)
  const open = new Set<Socket>()
  let isBroken = false
  let received = 0

  const server = createServer((client) => {
    if (isBroken) return client.destroy()
    const service = connect(Number(port), hostname)
    service.on('data', ({ byteLength }) => (received += byteLength))
    for (const socket of [client, service]) {
      open.add(socket)
      // If one end breaks, so does the other.
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          client.destroy()
          service.destroy()
        })
    }
    client.pipe(service).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  const breakAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://localhost:${address.port}`,
    received: () => received,
    break() {
      isBroken = true
      breakAll()
    },
    mend: () => {
      isBroken = false
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      breakAll()
      await closed
    },
  }
}
