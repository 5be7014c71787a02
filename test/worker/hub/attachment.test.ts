import { describe, expect, it } from 'vitest'
import { eventTypesOf } from '../../../src/schemas/live/catalogue.ts'
import { FakeObject } from '../../support/fake-hub.ts'

// What is kept with a socket while the hub hibernates. Cloudflare takes 2,048 bytes, the local runtime more.

const ATTACHMENT_MAX = 2048

/**
 * The most that the structured clone of an attachment can take: its JSON names no member and no value with fewer bytes,
 * except Infinity, which takes nine.
 */
function sizeOf(socket: WebSocket | undefined): number {
  return JSON.stringify(socket?.deserializeAttachment()).length + 9
}

const largest = Number.MAX_SAFE_INTEGER
const UUID = 'b7b6d9a2-7b0e-4f0e-9d33-6a3c1a3f8f10'
const CHANNELS = ['planetEvents', 'userEvents', 'systemEvents', 'celestialBodyEvents'] as const

describe('what is kept with a socket', () => {
  it.each(CHANNELS)('fits, for the largest subscription to %s', async (channel) => {
    const object = new FakeObject()
    const host = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
    const past = object.log.write(largest - 10)
    await object.open(
      {
        channel,
        subject: largest,
        eventTypes: eventTypesOf(channel),
        bodyType: 'satellite',
        minHabitability: 0.123456789012345,
        isEnveloped: true,
        userId: largest,
        hearsOwnEvents: true,
        holder: 'address 2001:0db8:85a3:0000:0000:8a2e:0370:7334',
        credential: { userId: largest, keyId: largest, grantId: UUID, endsAt: largest },
        connectionId: UUID,
        baseUrl: `https://${host}:65535/u/abcdefghijklmnop`,
      },
      { lastEventId: past[0] ?? '' },
    )
    expect(sizeOf(object.sockets[0])).toBeLessThanOrEqual(ATTACHMENT_MAX)
  })
})
