import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from './ports.ts'

it('a port is given to one caller, and stays its own while nobody listens there', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort))
  expect(new Set(ports).size).toBe(ports.length)
  // This is how another process finds out.
  const other = createSocket('udp4')
  const failure = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
    other.once('error', resolve)
    other.bind({ port: ports[0], address: '127.0.0.1', exclusive: true }, () => reject(new Error('it was free')))
  })
  expect(failure.code).toBe('EADDRINUSE')
  other.close()
})

it('a server can listen at the port', async () => {
  const server = createServer()
  const port = await freePort()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, 'localhost', resolve))
  await new Promise((resolve) => server.close(resolve))
})
