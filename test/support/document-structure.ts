import { pointerTo } from '../../src/lib/objects.ts'
import { sha256 } from '../../src/lib/sha256.ts'

// What a document says to programs: everything but its texts and examples. Fingerprints of its parts tell whether that
// has changed, without a copy of the document.

type Node = Readonly<Record<string, unknown>>

/** Members that only people read, unless they are names that the document declares. */
const TEXTS = ['description', 'summary', 'title', 'example', 'examples', 'externalDocs']
/** Members whose members are names that the document declares. */
const MAPS = ['paths', 'webhooks', 'properties', 'schemas', 'parameters', 'headers', 'responses', 'links', 'scopes']

const FINGERPRINT_BYTES = 8

/** A document without its texts and examples. */
export function structureOf(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => structureOf(item))
  if (!isNode(value)) return value
  const members = Object.entries(value).filter(([name]) => isMap || !TEXTS.includes(name))
  return Object.fromEntries(
    members.map(([name, member]) => [name, structureOf(member, !isMap && MAPS.includes(name))] as const).sort(byName),
  )
}

/** The fingerprint of each operation, of each component, and of everything else, by its JSON Pointer. */
export async function fingerprintsOf(structure: Node): Promise<Record<string, string>> {
  const parts = Object.entries(structure).flatMap(([name, value]) =>
    ['paths', 'webhooks', 'components'].includes(name)
      ? grandchildrenOf(value).map(([pointer, part]) => [`/${name}${pointer}`, part] as const)
      : [[`/${name}`, value] as const],
  )
  return Object.fromEntries(
    await Promise.all(parts.map(async ([pointer, part]) => [pointer, await fingerprintOf(part)] as const)),
  )
}

function grandchildrenOf(value: unknown): [string, unknown][] {
  return membersOf(value).flatMap(([name, child]) =>
    membersOf(child).map(([key, part]): [string, unknown] => [pointerTo([name, key]), part]),
  )
}

async function fingerprintOf(part: unknown): Promise<string> {
  const digest = await sha256(new TextEncoder().encode(JSON.stringify(part)))
  return Array.from(digest.subarray(0, FINGERPRINT_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Takes out what a pointer leads to.
 *
 * @throws Error if it leads nowhere
 */
export function takeOut(structure: unknown, pointer: string): void {
  const names = pointer.split('/').slice(1).map(nameIn)
  const last = names.pop() ?? ''
  const holder = names.reduce<unknown>((node, name) => (isHolder(node) ? node[name] : undefined), structure)
  if (!isHolder(holder) || !(last in holder)) throw new Error(`there is nothing at ${pointer}`)
  if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else delete holder[last]
}

const membersOf = (value: unknown) => Object.entries(isNode(value) ? value : {})
const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isNode = (value: unknown): value is Node => isHolder(value) && !Array.isArray(value)
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)
const nameIn = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')
