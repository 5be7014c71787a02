import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeSigningPair, makeSigningSecret, pairOfSeed } from '../../../src/domain/webhook-keys.ts'
import { signBody, signMessage, verifyBody, verifyMessage } from '../../../src/domain/webhook-signature.ts'
import type { Bytes } from '../../../src/lib/bytes.ts'
import { eachRow } from '../../support/each-row.ts'
import { aText } from '../../support/texts.ts'

// What a receiver can rely on: the signatures match those of other tools, and only the message itself verifies.

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const TIMESTAMP = 1614265330
const HEAD = { id: ID, timestamp: TIMESTAMP }
const NOW = new Date(TIMESTAMP * 1000)
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OTHER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

const bytesOf = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text))
const BODY = bytesOf('{"test": 2432232314}')
const HUNGARIAN = '{"id":1,"name":"Árvíztűrő 🪐","tags":["é","\\u0000"]}'

const aBody = fc.oneof(
  aText.map(bytesOf),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
)
const anId = fc.stringMatching(/^msg_[0-9a-f]{32}$/)
const aTimestamp = fc.integer({ min: 0, max: 4_000_000_000 })
const aSecret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${new Uint8Array(bytes).toBase64()}`)
const aMessage = fc.record({ body: aBody, id: anId, timestamp: aTimestamp, secret: aSecret })

const at = (timestamp: number) => new Date(timestamp * 1000)

/** The same bytes with one bit changed, or with one more byte. */
function change(bytes: Bytes, place: number): Bytes {
  const changed = new Uint8Array([...bytes, 0])
  const index = place % changed.length
  if (index === bytes.length) return changed
  changed[index] = (changed[index] ?? 0) ^ 1
  return changed.slice(0, -1)
}

afterEach(() => {
  vi.useRealTimers()
})

// Standard Webhooks publishes the first of `v1`. The others, and all of `x`, were computed with openssl:
// openssl dgst -sha256 -hmac "$secret" -binary body | base64
// printf 'id.time.' | cat - body | openssl dgst -sha256 -mac HMAC -macopt hexkey:"$key" -binary | base64
describe('signatures are those that openssl computes', () => {
  it.each([
    {
      what: 'the published message',
      secret: SECRET,
      body: '{"test": 2432232314}',
      x: 'gOyKic480iEzoQZsrstNBP6nRnZXyFFNcX7ELDilyUw=',
      v1: 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    {
      what: 'the published message under a secret of 32 bytes',
      secret: OTHER,
      body: '{"test": 2432232314}',
      x: 'RoXJ0W9kp1nUeEbq4OT2x1vt7yVHDpoOCZxaVvL1Vx8=',
      v1: 'O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=',
    },
    {
      what: 'multi-byte characters',
      secret: SECRET,
      body: HUNGARIAN,
      x: 'i1rt1crmcR4LYDexQc46h4Rsak8fifdPXrNxp7uZ378=',
      v1: 'VhIYp3R/NUDaO63o8vyY3AT6kbXlw1K99sLt3+j1akU=',
    },
    {
      what: 'multi-byte characters under a secret of 32 bytes',
      secret: OTHER,
      body: HUNGARIAN,
      x: '579vUWNN/hXYOMYoJhFLcZsQ2DNIhGwaYzi2rg8ZXs8=',
      v1: 'NmbZcrTMGhEjY1WYgFe4kRPxfIppEQ9mDZjQ/2laiC8=',
    },
    {
      what: 'an empty message',
      secret: SECRET,
      body: '',
      x: '2l9YZZhOaZppz+xizkmnba+K5GAbVKeB+hPzstOyCIo=',
      v1: 'v48jdbgvh29KJz2Qc+ghw8G6vG3nAKnujWBg8oM/62A=',
    },
    {
      what: 'an empty message under a secret of 32 bytes',
      secret: OTHER,
      body: '',
      x: 'OGmmPL5zx0dDHPn/TTjLqmrWrbBUHEdT4ckPe2kgYg8=',
      v1: 'GsnVozukDiVmbnjDPsr6Y6lFW7x/ARAGr0VbaFdOnHY=',
    },
  ])('of $what', async ({ secret, body, x, v1 }) => {
    const bytes = bytesOf(body)
    expect(await signBody(secret, bytes)).toBe(x)
    expect(await signMessage([secret], HEAD, bytes)).toBe(`v1,${v1}`)
    expect(await verifyBody([secret], x, bytes)).toBe(true)
    expect(await verifyMessage([secret], `v1,${v1}`, HEAD, bytes, NOW)).toBe(true)
  })

  it('with two secrets at once, the newest first', async () => {
    expect(await signMessage([OTHER, SECRET], HEAD, BODY)).toBe(
      'v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })
})

describe('a new secret', () => {
  it('is whsec_ and 32 random bytes, and never repeats', () => {
    const secrets = Array.from({ length: 100 }, makeSigningSecret)
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(Uint8Array.fromBase64(secret.slice(6))).toHaveLength(32)
    }
  })

  it('is accepted by the library of Standard Webhooks', async () => {
    const secret = makeSigningSecret()
    const signed = await signMessage([secret], HEAD, BODY)
    expect(new Webhook(secret).sign(ID, NOW, '{"test": 2432232314}')).toBe(signed)
  })
})

describe('the library of Standard Webhooks', () => {
  it('signs as the service does', async () => {
    const texts = fc.record({ body: aText, id: anId, timestamp: aTimestamp, secret: aSecret })
    await fc.assert(
      fc.asyncProperty(texts, async ({ body, id, timestamp, secret }) => {
        const ours = await signMessage([secret], { id, timestamp }, bytesOf(body))
        expect(new Webhook(secret).sign(id, at(timestamp), body)).toBe(ours)
      }),
    )
  })

  it('verifies what the service has signed, with either of two secrets and with no other', async () => {
    vi.setSystemTime(NOW)
    const headers = {
      'webhook-id': ID,
      'webhook-timestamp': String(TIMESTAMP),
      'webhook-signature': await signMessage([OTHER, SECRET], HEAD, bytesOf(HUNGARIAN)),
    }
    for (const secret of [OTHER, SECRET]) {
      expect(new Webhook(secret).verify(HUNGARIAN, headers)).toEqual(JSON.parse(HUNGARIAN))
    }
    expect(() => new Webhook(makeSigningSecret()).verify(HUNGARIAN, headers)).toThrow('No matching signature found')
    expect(() => new Webhook(OTHER).verify(HUNGARIAN.replace('é', 'e'), headers)).toThrow('No matching signature found')
  })

  it('does not accept x-signature', async () => {
    vi.setSystemTime(NOW)
    const headers = { 'webhook-id': ID, 'webhook-timestamp': String(TIMESTAMP) }
    const signature = `v1,${await signBody(SECRET, BODY)}`
    expect(() =>
      new Webhook(SECRET).verify('{"test": 2432232314}', { ...headers, 'webhook-signature': signature }),
    ).toThrow('No matching signature found')
  })
})

describe('a signed message verifies, and nothing else does', () => {
  it('by x-signature', async () => {
    await fc.assert(
      fc.asyncProperty(aMessage, fc.nat(), aSecret, async ({ body, secret }, place, stranger) => {
        fc.pre(stranger !== secret)
        const signature = await signBody(secret, body)
        expect(await verifyBody([secret], signature, body)).toBe(true)
        expect(await verifyBody([stranger, secret], signature, body)).toBe(true)
        expect(await verifyBody([secret], signature, change(body, place))).toBe(false)
        expect(await verifyBody([stranger], signature, body)).toBe(false)
        expect(await verifyBody([], signature, body)).toBe(false)
      }),
    )
  })

  it('by webhook-signature', async () => {
    await fc.assert(
      fc.asyncProperty(aMessage, fc.nat(), aSecret, anId, async (message, place, stranger, otherId) => {
        const { body, secret, id, timestamp } = message
        fc.pre(stranger !== secret && otherId !== id)
        const head = { id, timestamp }
        const signature = await signMessage([secret], head, body)
        const verify = (secrets: string[], changes: Partial<typeof head>, bytes: Bytes) =>
          verifyMessage(secrets, signature, { ...head, ...changes }, bytes, at(timestamp))
        expect(await verify([secret], {}, body)).toBe(true)
        expect(await verify([stranger, secret], {}, body)).toBe(true)
        expect(await verify([secret], {}, change(body, place))).toBe(false)
        expect(await verify([secret], { id: otherId }, body)).toBe(false)
        expect(await verify([secret], { timestamp: timestamp + 1 }, body)).toBe(false)
        expect(await verify([secret], { timestamp: timestamp - 1 }, body)).toBe(false)
        expect(await verify([stranger], {}, body)).toBe(false)
      }),
    )
  })

  it('and neither signature is valid as the other, even for a body that imitates a message', async () => {
    await fc.assert(
      fc.asyncProperty(aMessage, async ({ body, secret, id, timestamp }) => {
        const head = { id, timestamp }
        const lookAlike = new Uint8Array([...bytesOf(`${id}.${timestamp}.`), ...body])
        for (const signed of [body, lookAlike]) {
          const x = await signBody(secret, signed)
          expect(await verifyMessage([secret], `v1,${x}`, head, body, at(timestamp))).toBe(false)
          expect(await verifyMessage([secret], x, head, body, at(timestamp))).toBe(false)
          const v1 = await signMessage([secret], head, body)
          expect(await verifyBody([secret], v1.slice('v1,'.length), signed)).toBe(false)
          expect(await verifyBody([secret], v1, signed)).toBe(false)
        }
      }),
    )
  })
})

describe('the time of a message', () => {
  it('can be 5 minutes behind the clock or ahead of it, and no more', () =>
    eachRow(
      [
        [0, true],
        [299_000, true],
        [300_000, true],
        [300_001, false],
        [301_000, false],
        [86_400_000, false],
        [-300_000, true],
        [-300_001, false],
        [-86_400_000, false],
      ],
      async ([passed, holds]) => {
        const signature = await signMessage([SECRET], HEAD, BODY)
        const now = new Date(NOW.getTime() + passed)
        expect(await verifyMessage([SECRET], signature, HEAD, BODY, now)).toBe(holds)
      },
    ))

  it('is invalid if it is no finite number', () =>
    eachRow([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], async (time) => {
      const head = { id: ID, timestamp: time }
      const signature = await signMessage([SECRET], head, BODY)
      expect(await verifyMessage([SECRET], signature, head, BODY, NOW)).toBe(false)
    }))

  it('does not matter if the clock itself is broken: then nothing verifies', async () => {
    const signature = await signMessage([SECRET], HEAD, BODY)
    expect(await verifyMessage([SECRET], signature, HEAD, BODY, new Date(Number.NaN))).toBe(false)
  })
})

describe('in a header with several signatures', () => {
  const V1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  const WRONG = 'v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI='

  it('one valid signature is enough', () =>
    eachRow(
      [
        ['the right one alone', V1],
        ['the right one last', `${WRONG} ${V1}`],
        ['the right one first', `${V1} ${WRONG}`],
        ['the right one beside another version', `v1a,AAAA v2,AAAA ${V1}`],
        ['the right one beside junk', `v1,%%% v1, junk  ${V1}`],
      ],
      async ([, header]) => {
        expect(await verifyMessage([SECRET], header, HEAD, BODY, NOW)).toBe(true)
      },
    ))

  it('none is valid', () =>
    eachRow(
      [
        ['nothing', ''],
        ['the version alone', 'v1,'],
        ['no version', V1.slice(3)],
        ['another version', V1.replace('v1,', 'v1a,')],
        ['a capital version', V1.replace('v1,', 'V1,')],
        ['a version after a word', `a${V1}`],
        ['another separator after the version', V1.replace(',', '=')],
        ['a comma between two', `${WRONG},${V1}`],
        ['without the end of the base64', V1.slice(0, -1)],
        ['in the alphabet of base64url', V1.replaceAll('+', '-').replaceAll('/', '_')],
        ['one byte short', `v1,${Uint8Array.fromBase64(V1.slice(3)).slice(0, 31).toBase64()}`],
        ['one byte more', `v1,${new Uint8Array([...Uint8Array.fromBase64(V1.slice(3)), 0]).toBase64()}`],
        ['changed spare bits in the last letter', V1.replace('1OE=', '1OF=')],
        ['characters that are not base64', 'v1,𝓰0hM9SsE'],
      ],
      async ([, header]) => {
        expect(await verifyMessage([SECRET], header, HEAD, BODY, NOW)).toBe(false)
      },
    ))
})

describe('of very many signatures', () => {
  const V1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  const behind = (count: number) => verifyMessage([SECRET], `${'v1,AAAA '.repeat(count)}${V1}`, HEAD, BODY, NOW)

  it('only the first ten are checked, so that a stranger cannot keep the service busy', async () => {
    expect(await behind(9)).toBe(true)
    expect(await behind(10)).toBe(false)
  })
})

describe('a value of x-signature', () => {
  const X = 'gOyKic480iEzoQZsrstNBP6nRnZXyFFNcX7ELDilyUw='

  it('is rejected without an error', () =>
    eachRow(
      ['', ' ', 'junk', X.slice(0, -1), X.slice(0, 40), `sha256=${X}`, `${X},${X}`, `v1,${X}`, X.toLowerCase()],
      async (signature) => {
        expect(await verifyBody([SECRET], signature, BODY)).toBe(false)
      },
    ))
})

describe('with Ed25519 (v1a)', () => {
  const SEED = Uint8Array.from({ length: 32 }, (_, index) => index)
  const PUBLIC_KEY = 'whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg='
  const MESSAGE = {
    head: { id: 'msg_newPlanet_8c2e6b4d0a1f4e739e2d8c6b4f0a1e35', timestamp: 1768487400 },
    body: bytesOf('{"id":5404,"name":"火星 🪐 Ceres é"}'),
    signature: 'v1a,6QkFFasBMaTEbrVLFnCD4YZtyYUQt59Cuwnbg+9e+3bPxZff0WQBsa+SwJnYhtfBMjfi5vtHhN3HFl2FXt3YDA==',
  }

  it('the published message has the published signature, which the published key verifies', async () => {
    const { head, body, signature } = MESSAGE
    const { privateKey, publicKey } = await pairOfSeed(SEED)
    expect(publicKey).toBe(PUBLIC_KEY)
    expect(await signMessage([privateKey], head, body)).toBe(signature)
    expect(await verifyMessage([PUBLIC_KEY], signature, head, body, at(head.timestamp))).toBe(true)
    expect(await verifyMessage([PUBLIC_KEY], `v1,AAAA ${signature}`, head, body, at(head.timestamp))).toBe(true)
  })

  it('a signed message verifies, and nothing else does', async () => {
    const [pair, stranger] = [await makeSigningPair(), await makeSigningPair()]
    expect(pair.publicKey).not.toBe(stranger.publicKey)
    await fc.assert(
      fc.asyncProperty(aMessage, fc.nat(), async ({ body, id, timestamp }, place) => {
        const head = { id, timestamp }
        const signature = await signMessage([pair.privateKey], head, body)
        expect(signature).toMatch(/^v1a,[\w+/]{86}==$/)
        const verify = (key: string, bytes: Bytes, changes: object = {}) =>
          verifyMessage([key], signature, { ...head, ...changes }, bytes, at(timestamp))
        expect(await verify(pair.publicKey, body)).toBe(true)
        expect(await verify(stranger.publicKey, body)).toBe(false)
        expect(await verify(pair.publicKey, change(body, place))).toBe(false)
        expect(await verify(pair.publicKey, body, { timestamp: timestamp + 1 })).toBe(false)
      }),
    )
  })

  it('what anybody can compute from the public key proves nothing', async () => {
    const { head, body } = MESSAGE
    const x = await signBody(PUBLIC_KEY, body)
    expect(await verifyBody([PUBLIC_KEY], x, body)).toBe(false)
    const asSecret = PUBLIC_KEY.replace('whpk_', 'whsec_')
    const hmac = await signMessage([asSecret], head, body)
    for (const signature of [hmac, hmac.replace('v1,', 'v1a,')]) {
      expect(await verifyMessage([PUBLIC_KEY], signature, head, body, at(head.timestamp))).toBe(false)
    }
  })

  it('a signature under the other version is none', async () => {
    const { head, body, signature } = MESSAGE
    for (const other of [signature.replace('v1a', 'v1'), signature.replace('v1a', 'v2'), signature.slice(4)]) {
      expect(await verifyMessage([PUBLIC_KEY], other, head, body, at(head.timestamp))).toBe(false)
    }
  })
})
