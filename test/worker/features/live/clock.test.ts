import { afterEach, expect, it, vi } from 'vitest'
import { createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { openSocket } from '../../../support/sockets.ts'

const client = createClient()
/** Shorter than tokens are valid. */
const HALF_HOUR_MS = 30 * 60_000

afterEach(() => vi.useRealTimers())

it('a socket hears of a planet after the clock was set back', async () => {
  const account = await createAccount(client)
  const { frames, socket } = await openSocket(client, 'celestial-bodies/events')
  vi.useFakeTimers({ now: Date.now() + HALF_HOUR_MS, toFake: ['Date'] })
  await createPlanet(client, account, { name: 'Later' })
  await expect.poll(() => frames.join()).toContain('Later')
  vi.useRealTimers()
  await createPlanet(client, account, { name: 'Now' })
  await expect.poll(() => frames.join(), { timeout: 5000 }).toContain('Now')
  socket.close()
})
