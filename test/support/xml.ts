import { ProblemError } from '../../src/domain/problems.ts'
import { type Element, parseTree } from '../../src/xml/tree.ts'

/** The namespace of `nil`. */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

/** The members of problems that are numbers. */
const NUMBERS = ['status', 'used', 'allowed']

/**
 * Reads a problem in XML as RFC 9457, appendix B says: an element that has only children `i` is a list, one with other
 * children is an object.
 *
 * @throws Error if the root is another one, or has another namespace
 */
export function readProblem(text: string): Record<string, unknown> {
  const root = parseTree(text)
  if (root.name !== 'problem' || namespaceOf(text) !== 'urn:ietf:rfc:7807') throw new Error(`no problem: ${text}`)
  return Object(readValue(root))
}

/** The namespace that the root of a document declares without a prefix; undefined if there is none. */
export function namespaceOf(text: string): string | undefined {
  return /<[^?!][^>]* xmlns="([^"]*)"/.exec(text)?.[1]
}

function readValue({ name, text, children }: Element): unknown {
  if (children.length === 0) return NUMBERS.includes(name) ? Number(text) : text
  if (children.every((child) => child.name === 'i')) return children.map(readValue)
  return Object.fromEntries(children.map((child) => [child.name, readValue(child)]))
}

/** The refusal of a document that cannot be parsed. @throws if it is parsed, or if the error is internal */
export function refusalOf(read: () => unknown): ProblemError {
  try {
    read()
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'malformed-body') return error
    throw error
  }
  throw new Error('the document was read')
}

interface Sent {
  id?: unknown
  creator?: unknown
  lastUpdated?: unknown
  satellites?: SentSatellite[] | undefined
}

interface SentSatellite {
  id?: unknown
  orbit?: object | undefined
}

/** A planet as the service shows it, without the members that the service adds. */
export function withoutAdditions<Shown extends Sent>({ id, creator, lastUpdated, ...sent }: Shown) {
  if (!sent.satellites) return sent
  return { ...sent, satellites: sent.satellites.map(withoutReferences) }
}

function withoutReferences({ id, orbit, ...satellite }: SentSatellite): object {
  if (!orbit) return satellite
  return { ...satellite, orbit: Object.fromEntries(Object.entries(orbit).filter(([name]) => name !== 'planet')) }
}

/** A planet without its empty lists, which XML cannot distinguish from absent ones. */
export function withoutEmptyLists<Value extends object>(planet: Value): Partial<Value> {
  const members = Object.entries(planet).filter(([, member]) => !(Array.isArray(member) && member.length === 0))
  return Object.fromEntries(members) as Partial<Value>
}
