import { type Fault, ProblemError, RefusedBody } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { countCodePoints, findUnserialisable } from '../../lib/text.ts'

/** Failures that one answer tells. A body of nothing but failures would get an answer many times its size. */
const FAULTS_MAX = 100

const DEPTH_MAX = 64
// Far beyond what any body of ours holds. Without these, what is said of a hostile body could be many times its size.
const MEMBERS_MAX = 1000
const NAME_MAX = 200

/**
 * Refuses a value, whichever format it came in, that is not safe to walk: too deep or too wide, with `__proto__`, or with
 * a text that cannot be written in every format.
 *
 * @param faults What its format has found wrong already
 * @throws RefusedBody 400; ProblemError 400 where it is too deep
 */
export function requireUsable(value: unknown, faults: readonly Fault[]): void {
  const found = [...faults]
  try {
    inspect(value, [], found)
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error
  }
  if (found.length > 0) throw unusable(found, value)
}

/** There is no point in looking for more. */
class TooManyFaults extends Error {}

function inspect(value: unknown, path: PropertyKey[], faults: Fault[]): void {
  if (faults.length >= FAULTS_MAX) throw new TooManyFaults()
  if (typeof value === 'string') inspectText(value, path, faults)
  if (typeof value !== 'object' || value === null) return
  if (path.length >= DEPTH_MAX) {
    throw new ProblemError('malformed-body', `The body is nested more than ${DEPTH_MAX} levels deep.`)
  }
  const members = Object.entries(value)
  if (members.length > MEMBERS_MAX) {
    faults.push({ pointer: pointerTo(path), detail: `must have at most ${MEMBERS_MAX} members` })
    return
  }
  for (const [name, member] of members) {
    if (Array.isArray(value) || inspectName(name, path, faults)) inspect(member, [...path, name], faults)
  }
}

function inspectText(text: string, path: PropertyKey[], faults: Fault[]): void {
  const character = findUnserialisable(text)
  if (character)
    faults.push({ pointer: pointerTo(path), detail: `contains ${character}, which is not allowed in texts` })
}

/** @returns Whether the name can be used */
function inspectName(name: string, path: PropertyKey[], faults: Fault[]): boolean {
  const fault = findNameFault(name)
  if (name === '__proto__')
    faults.push({ pointer: pointerTo([...path, name]), detail: 'this property name is reserved' })
  // Such a name cannot be shown in every format, or is too long to be: the pointer is that of its object.
  else if (fault) faults.push({ pointer: pointerTo(path), detail: fault })
  return !fault && name !== '__proto__'
}

function findNameFault(name: string): string | undefined {
  if (countCodePoints(name) > NAME_MAX) return `has a property name that is longer than ${NAME_MAX} characters`
  const character = findUnserialisable(name)
  return character && `has a property name that contains ${character}`
}

function unusable(faults: readonly Fault[], sent: unknown): RefusedBody {
  return new RefusedBody('malformed-body', 'The body has members that the service cannot accept.', faults, sent)
}

// Characters of pointers and details in one answer: a hostile body must not get an answer many times its size.
const FAULTS_TEXT_MAX = 8000

/** The first of the faults, as many as an answer may tell. */
export function limitFaults(faults: readonly Fault[]): Fault[] {
  let length = 0
  return faults.slice(0, FAULTS_MAX).filter(({ pointer, detail }, index) => {
    length += pointer.length + detail.length
    return index === 0 || length <= FAULTS_TEXT_MAX
  })
}
