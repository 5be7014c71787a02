import { MEMBERS_MAX } from '../../domain/limits.ts'
import { type Fault, ProblemError, RefusedBody } from '../../domain/problems.ts'
import { LEVELS_MAX } from '../../lib/json.ts'
import { pointerTo } from '../../lib/objects.ts'
import { countCodePoints, findUnserialisable } from '../../lib/text.ts'

/**
 * Maximum number of faults in one response. Without it, the response to a body full of faults would be many times
 * larger than the body.
 */
const FAULTS_MAX = 100

// No valid body comes near this limit and MEMBERS_MAX. They also limit the size of the response to a hostile body.
/** Maximum length of a property name in characters. */
const NAME_MAX = 200

export type Refuse = (faults: readonly Fault[], sent: unknown) => Error

/**
 * Rejects a value that is not safe to process, whether it was sent as JSON, XML or a form: it is too deep or too wide,
 * or has a `__proto__` member, or a text that cannot be written in XML.
 *
 * @param faults The faults that the parser of the format has already found
 * @param refuse Creates the error
 * @throws The error that `refuse` creates; ProblemError 400 if the value is nested too deeply
 */
export function requireSafeInput(value: unknown, faults: readonly Fault[], refuse: Refuse = unsafeInput): void {
  const allFaults = [...faults]
  try {
    inspect(value, [], allFaults)
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error
  }
  if (allFaults.length > 0) throw refuse(allFaults, value)
}

/** Thrown by `inspect` to stop the search, because no more faults are reported. */
class TooManyFaults extends Error {}

/** The error for a body whose objects and arrays are nested too deeply. */
export function nestedTooDeeply(): ProblemError {
  return new ProblemError('malformed-body', `The body is nested more than ${LEVELS_MAX} levels deep.`)
}

/** Adds the faults of a value and of its members to `faults`. */
function inspect(value: unknown, path: PropertyKey[], faults: Fault[]): void {
  if (faults.length >= FAULTS_MAX) throw new TooManyFaults()
  if (typeof value === 'string') inspectText(value, path, faults)
  if (typeof value !== 'object' || value === null) return
  if (path.length >= LEVELS_MAX) throw nestedTooDeeply()
  const members = Object.entries(value)
  if (members.length > MEMBERS_MAX) {
    faults.push({ pointer: pointerTo(path), detail: `must have at most ${MEMBERS_MAX} members` })
    return
  }
  for (const [name, member] of members) {
    const isNameAllowed = Array.isArray(value) || inspectName(name, path, faults)
    if (isNameAllowed) inspect(member, [...path, name], faults)
  }
}

function inspectText(text: string, path: PropertyKey[], faults: Fault[]): void {
  const character = findUnserialisable(text)
  if (character)
    faults.push({ pointer: pointerTo(path), detail: `contains ${character}, which is not allowed in texts` })
}

/**
 * Adds the fault of a property name, if it has one.
 *
 * @returns Whether the name is allowed
 */
function inspectName(name: string, path: PropertyKey[], faults: Fault[]): boolean {
  if (name === '__proto__') {
    faults.push({ pointer: pointerTo([...path, name]), detail: 'this property name is reserved' })
    return false
  }
  const fault = findNameFault(name)
  // The pointer leads to the object, because the name is too long, or contains a character that XML cannot write.
  if (fault) faults.push({ pointer: pointerTo(path), detail: fault })
  return !fault
}

function findNameFault(name: string): string | undefined {
  if (countCodePoints(name) > NAME_MAX) return `has a property name that is longer than ${NAME_MAX} characters`
  const character = findUnserialisable(name)
  return character && `has a property name that contains ${character}`
}

function unsafeInput(faults: readonly Fault[], sent: unknown): RefusedBody {
  return new RefusedBody('malformed-body', 'The body has members that the service cannot accept.', faults, sent)
}

// Maximum number of characters of pointers and details in one response, for the same reason as FAULTS_MAX.
const FAULTS_TEXT_MAX = 8000

/** The first faults, up to the limits of one response. The first fault is always included, however long it is. */
export function limitFaults(faults: readonly Fault[]): Fault[] {
  let length = 0
  return faults.slice(0, FAULTS_MAX).filter(({ pointer, detail }, index) => {
    length += pointer.length + detail.length
    return index === 0 || length <= FAULTS_TEXT_MAX
  })
}
