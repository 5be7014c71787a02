import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { untilReady } from '../../scripts/lib/until-ready.ts'
import { freePort } from './ports.ts'

/** A service that begins to answer after its first visitor has come, with these statuses. */
async function serveLate(...statuses: number[]): Promise<{ ready: Promise<void>; visits(): number; close(): void }> {
  const port = await freePort()
  let visits = 0
  const server = createServer((_, response) => response.writeHead(statuses[visits++] ?? 200).end())
  const ready = untilReady(`http://localhost:${port}`, '/state')
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  return { ready, visits: () => visits, close: () => server.close() }
}

it('npm start waits until the service answers', async () => {
  const { ready, visits, close } = await serveLate(200)
  await ready
  expect(visits()).toBe(1)
  close()
})

it('npm start reports a database that is missing, and does not wait forever', async () => {
  const { ready, close } = await serveLate(500)
  await expect(ready).rejects.toThrow(
    'The service returned 500 to its first request. If the database is damaged, delete /state ',
  )
  close()
})

it.each([
  ['that nothing listens to', false],
  ['that takes requests and never answers', true],
])('npm start does not wait forever for a port %s', async (_, listens) => {
  const port = await freePort()
  const server = createServer(() => {})
  if (listens) await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  const baseUrl = `http://localhost:${port}`
  await expect(untilReady(baseUrl, '/state', 0.3)).rejects.toThrow(
    `The service has not answered at ${baseUrl} within 0.3 seconds.`,
  )
  server.close()
  server.closeAllConnections()
})
