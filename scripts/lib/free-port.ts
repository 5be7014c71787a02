import { createServer } from 'node:net'

/**
 * Checks that a port is free. Otherwise another service at this port would respond in place of this one.
 *
 * @param port 0: any free one
 * @param host An address of this machine, or a name of one
 * @returns The port
 * @throws Error of the system if the port cannot be used
 */
export async function requireFreePort(port: number, host = 'localhost'): Promise<number> {
  const probe = createServer()
  return await new Promise((resolve, reject) => {
    probe.once('error', reject).listen(port, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}
