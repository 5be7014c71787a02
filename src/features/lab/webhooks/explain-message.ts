import { signHmac, verifyEd25519 } from '../../../domain/webhook-keys.ts'
import { CANDIDATES_MAX, TOLERANCE_SECONDS } from '../../../domain/webhook-signature.ts'
import type { Bytes } from '../../../lib/bytes.ts'
import { FINDINGS, type Finding, type FindingCode, rankOf } from './findings.ts'
import { type Form, keysOfSecret, otherContents, readSignature, rightContent } from './signed-forms.ts'

/** A message of Standard Webhooks, and what verifies it. */
export interface Message {
  /** Empty if the header is absent. */
  id: string
  timestamp: string
  signatures: string
  body: Bytes
  /** A secret as text, with or without `whsec_`, or the bytes of a public key. */
  key: { secret: string } | { publicKey: Bytes }
  at: Date
}

const HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signatures: 'webhook-signature' } as const
const TRUNCATED_MIN_LENGTH = 8

/**
 * Explains what is wrong with a message. The work is bounded: it tries at most ten signatures, and a fixed number of
 * deviations.
 *
 * @returns Nothing if the message is valid
 */
export async function explainMessage(message: Message): Promise<Finding[]> {
  const missing = (['id', 'timestamp', 'signatures'] as const).filter((part) => message[part] === '')
  const timeCode = message.timestamp === '' ? undefined : findTimeFault(message.timestamp, message.at)
  // Without one of the headers, nobody knows what was signed.
  const signatureCodes = missing.length > 0 ? [] : await explainSignatures(message)
  return [
    ...missing.map(
      (part): Finding => ({ code: 'missing-header', detail: `The header ${HEADERS[part]} is absent or empty.` }),
    ),
    ...[...(timeCode ? [timeCode] : []), ...signatureCodes].map((code) => ({ code, detail: FINDINGS[code] })),
  ]
}

function findTimeFault(timestamp: string, at: Date): FindingCode | undefined {
  if (/^[0-9]{13}$/.test(timestamp)) return 'milliseconds'
  if (!/^[1-9][0-9]{0,11}$/.test(timestamp)) return 'timestamp-form'
  const ahead = Number(timestamp) - at.getTime() / 1000
  if (ahead < -TOLERANCE_SECONDS) return 'stale'
  return ahead > TOLERANCE_SECONDS ? 'future' : undefined
}

/** A signature of the header, split at its first comma. */
interface Candidate {
  /** Undefined if there is no comma. */
  version: string | undefined
  text: string
}

function readCandidates(signatures: string): Candidate[] {
  const parts = signatures
    .split(' ')
    .filter((part) => part !== '')
    .slice(0, CANDIDATES_MAX)
  return [...new Set(parts)].map((part) => {
    const comma = part.indexOf(',')
    return comma < 0
      ? { version: undefined, text: part }
      : { version: part.slice(0, comma), text: part.slice(comma + 1) }
  })
}

/** @returns The smallest set of deviations that explains a signature; empty if one is right */
async function explainSignatures({ id, timestamp, signatures, body, key }: Message): Promise<readonly FindingCode[]> {
  const candidates = readCandidates(signatures)
  const scheme = 'secret' in key ? schemeOfSecret(key.secret) : schemeOfPublicKey(key.publicKey)
  const { version } = scheme
  const own = candidates.filter((candidate) => candidate.version === version)
  const others = candidates.filter((candidate) => candidate.version !== version)
  const right = rightContent(id, timestamp, body)
  const best = new Best()
  await scheme.explain({ value: right, deviations: [] }, own, best)
  if (best.deviations?.length === 0) return []
  await scheme.explainOthers(right, own, others, best)
  if (own.length > 0)
    for (const content of otherContents(id, timestamp, body))
      if (!best.beats(content.deviations)) await scheme.explain(content, own, best)
  if (best.deviations) return best.deviations
  const otherVersion = version === 'v1' ? 'v1a' : 'v1'
  return candidates.every((candidate) => candidate.version === otherVersion) ? ['wrong-scheme'] : ['other-secret']
}

/** The smallest set of deviations so far; of equally large ones, the one that comes first in the registry. */
class Best {
  deviations: readonly FindingCode[] | undefined

  /** Whether a set, and every larger one, is worse than what was found. */
  beats(deviations: readonly FindingCode[]): boolean {
    return this.deviations !== undefined && this.deviations.length < deviations.length
  }

  offer(...deviations: FindingCode[]): void {
    const sorted = deviations.toSorted((a, b) => rankOf(a) - rankOf(b))
    if (this.deviations === undefined || comparesBefore(sorted, this.deviations)) this.deviations = sorted
  }
}

function comparesBefore(one: readonly FindingCode[], other: readonly FindingCode[]): boolean {
  if (one.length !== other.length) return one.length < other.length
  const index = one.findIndex((code, position) => code !== other[position])
  const [a, b] = [one[index], other[index]]
  return a !== undefined && b !== undefined && rankOf(a) < rankOf(b)
}

/** How signatures of one version are made. */
interface Scheme {
  version: 'v1' | 'v1a'
  /** Offers the deviations of each signature of this version that signs a content. */
  explain(content: Form<Bytes>, candidates: readonly Candidate[], best: Best): Promise<void>
  /** Offers what else explains a signature of the right content. */
  explainOthers(content: Bytes, own: readonly Candidate[], others: readonly Candidate[], best: Best): Promise<void>
}

function schemeOfSecret(secret: string): Scheme {
  const keys = keysOfSecret(secret)
  const read = readOnce()
  return {
    version: 'v1',
    async explain(content, candidates, best) {
      for (const key of keys) {
        if (best.beats([...key.deviations, ...content.deviations])) continue
        const expected = (await signHmac(key.value, content.value)).toHex()
        for (const form of candidates.flatMap(read))
          if (form.value.toHex() === expected) best.offer(...form.deviations, ...key.deviations, ...content.deviations)
      }
    },
    async explainOthers(content, own, others, best) {
      const [key] = keys
      if (!key) return
      const right = (await signHmac(key.value, content)).toBase64()
      const isBeginning = ({ text }: Candidate) =>
        text.length >= TRUNCATED_MIN_LENGTH && text.length < right.length && right.startsWith(text)
      if (own.some(isBeginning)) best.offer('truncated')
      for (const { version, text } of others)
        if (text === right) best.offer(version === undefined ? 'no-version' : 'unknown-version')
    },
  }
}

function schemeOfPublicKey(publicKey: Bytes): Scheme {
  const read = readOnce()
  return {
    version: 'v1a',
    async explain(content, candidates, best) {
      for (const form of candidates.flatMap(read)) {
        const deviations = [...form.deviations, ...content.deviations]
        if (best.beats(deviations)) continue
        if (await verifyEd25519(publicKey, form.value, content.value)) best.offer(...deviations)
      }
    },
    // Only who has the private key knows how the right signature begins, so `truncated` cannot be found.
    async explainOthers(content, _own, others, best) {
      for (const candidate of others) {
        const exact = read(candidate).find(({ deviations }) => deviations.length === 0)
        if (exact && (await verifyEd25519(publicKey, exact.value, content)))
          best.offer(candidate.version === undefined ? 'no-version' : 'unknown-version')
      }
    },
  }
}

/** Reads each signature once, because it is compared with many contents. */
function readOnce(): (candidate: Candidate) => Form<Bytes>[] {
  const known = new Map<string, Form<Bytes>[]>()
  return ({ text }) => {
    const forms = known.get(text) ?? readSignature(text)
    known.set(text, forms)
    return forms
  }
}
