import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

// Ports of servers that are told their port before they listen.

/**
 * Below the ports that a system gives to whoever asks for any: from 32768 on Linux, and from 49152 elsewhere. So no
 * connection and no other server takes the port before its server listens.
 */
const FIRST_PORT = 20_000
const PORTS = 12_000
/** Of so many, one is free, unless something is wrong with the machine. */
const ATTEMPTS_MAX = 1000

/**
 * A port at which nobody listens. It belongs to this process until its end, also while a service is restarted.
 *
 * @throws Error if there is none
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`)
}

/**
 * Takes the UDP port of the same number, which one process can have and no test uses. The system gives it back when the
 * process ends.
 */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  return new Promise((resolve) => {
    socket.once('error', () => socket.close(() => resolve(false)))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

/** Whether nobody listens at any address of this machine. */
function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
