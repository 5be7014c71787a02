import { Webhook } from 'standardwebhooks'
import type { Defect } from '../../../../src/domain/receiver-tests.ts'
import type { Call } from '../../../support/callbacks.ts'

// Receivers of webhooks as people write them: one that is right, and some that are wrong in one point. None uses the code
// of the service.

/** What a receiver knows. */
export interface Knowledge {
  /** `whsec_…` */
  secret: string
  now(): Date
}

/** @returns The status of the answer */
export type Receiver = (call: Call, knowledge: Knowledge) => Promise<number> | number

const TOLERANCE_SECONDS = 300

const signaturesOf = ({ headers }: Call) => (headers.get('webhook-signature') ?? '').split(' ')
const keyOf = (secret: string) => Uint8Array.fromBase64(secret.replace('whsec_', ''))
const bytesOf = (text: string) => new Uint8Array(new TextEncoder().encode(text))

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const cryptoKey = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', cryptoKey, bytesOf(text)))
}

function isInTime({ headers }: Call, { now }: Knowledge): boolean {
  const timestamp = headers.get('webhook-timestamp') ?? ''
  return /^[1-9]\d{0,11}$/.test(timestamp) && Math.abs(now().getTime() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS
}

interface Steps {
  /** What is signed. */
  content?: (call: Call) => string
  key?: (secret: string) => Uint8Array<ArrayBuffer>
  /** How the signature is written. */
  write?: (signature: Uint8Array) => string
  isInTime?: typeof isInTime
  matches?: (signature: string, expected: string) => boolean
  all?: (call: Call) => string[]
}

/** A receiver whose steps can be replaced. */
function receiver(steps: Steps = {}): Receiver {
  const { content = contentOf, key = keyOf, write = (signature) => signature.toBase64() } = steps
  const { matches = (signature, expected) => signature === expected, all = signaturesOf } = steps
  return async (call, knowledge) => {
    if (!(steps.isInTime ?? isInTime)(call, knowledge)) return 401
    const expected = `v1,${write(await hmac(key(knowledge.secret), content(call)))}`
    return all(call).some((signature) => matches(signature, expected)) ? 200 : 401
  }
}

const id = ({ headers }: Call) => headers.get('webhook-id')
const time = ({ headers }: Call) => headers.get('webhook-timestamp')
const contentOf = (call: Call) => `${id(call)}.${time(call)}.${call.body}`

/** With the library of Standard Webhooks, whose clock is the real one. */
export const RIGHT: Receiver = ({ headers, body }, { secret }) => {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers))
    return 200
  } catch {
    return 401
  }
}

interface WrongReceiver {
  receive: Receiver
  /** The tests that it fails, in the order of a check. Written by hand. */
  fails: readonly Defect[]
}

const ALL_REFUSALS: readonly Defect[] = [
  'unsigned',
  'wrong-secret',
  'body-changed',
  'id-changed',
  'time-changed',
  'stale',
  'future',
  'hex',
  'truncated',
  'unknown-version',
]
const ALL_ACCEPTED: readonly Defect[] = ['none', 'second-signature', 'pretty', 'unicode', 'retried', 'replayed']

export const WRONG: Readonly<Record<string, WrongReceiver>> = {
  'accepts everything': { receive: () => 200, fails: ALL_REFUSALS },
  'knows no such path': { receive: () => 404, fails: ALL_ACCEPTED },
  'fails inside': { receive: () => 500, fails: [...ALL_ACCEPTED, ...ALL_REFUSALS] },
  'does not compare the signature': {
    receive: (call, knowledge) => (signaturesOf(call)[0] && isInTime(call, knowledge) ? 200 : 401),
    fails: ['wrong-secret', 'body-changed', 'id-changed', 'time-changed', 'hex', 'truncated', 'unknown-version'],
  },
  'signs the JSON that it has parsed and written again': {
    receive: receiver({ content: (call) => `${id(call)}.${time(call)}.${JSON.stringify(JSON.parse(call.body))}` }),
    fails: ['pretty', 'unicode'],
  },
  'does not look at the time': { receive: receiver({ isInTime: () => true }), fails: ['stale', 'future'] },
  'leaves the id out of what is signed': {
    receive: receiver({ content: (call) => `${time(call)}.${call.body}` }),
    fails: ALL_ACCEPTED,
  },
  'expects hexadecimal digits': {
    receive: receiver({ write: (signature) => signature.toHex() }),
    fails: [...ALL_ACCEPTED, 'hex'],
  },
  'removes white space around the body': {
    receive: receiver({ content: (call) => `${id(call)}.${time(call)}.${call.body.trim()}` }),
    fails: ['pretty'],
  },
  'reads only the first signature': {
    receive: receiver({ all: (call) => signaturesOf(call).slice(0, 1) }),
    fails: ['second-signature'],
  },
  'compares only the beginning of the signature': {
    receive: receiver({ matches: (signature, expected) => signature !== '' && expected.startsWith(signature) }),
    fails: ['truncated'],
  },
  'does not look at the version': {
    receive: receiver({ matches: (signature, expected) => signature.split(',')[1] === expected.split(',')[1] }),
    fails: ['unknown-version'],
  },
  'reads the body as Latin-1': {
    receive: receiver({
      content: (call) =>
        `${id(call)}.${time(call)}.${Array.from(bytesOf(call.body), (byte) => String.fromCharCode(byte)).join('')}`,
    }),
    fails: ['unicode'],
  },
  'verifies x-signature alone': {
    receive: async ({ headers, body }, { secret }) =>
      headers.get('x-signature') === (await hmac(bytesOf(secret), body)).toBase64() ? 200 : 401,
    fails: ['id-changed', 'time-changed', 'stale', 'future'],
  },
  'answers 429 in place of a refusal': {
    receive: async (call, knowledge) => ((await receiver()(call, knowledge)) === 200 ? 200 : 429),
    fails: ALL_REFUSALS,
  },
}

/** A receiver that has its memory: it answers a message that it knows with 409. */
export function refusingRepetitions(): WrongReceiver {
  const known = new Set<string | null>()
  const verify = receiver()
  return {
    receive: async (call, knowledge) => {
      const status = await verify(call, knowledge)
      if (status !== 200) return status
      if (known.has(id(call))) return 409
      known.add(id(call))
      return 200
    },
    fails: ['retried'],
  }
}
