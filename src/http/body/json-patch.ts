import { countBytes } from '../../lib/text.ts'

// JSON Patch (RFC 6902). A location is the list of the names in a JSON Pointer (json-pointer.ts).

type Location = readonly string[]

/** An operation of a patch (RFC 6902, section 4). */
export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  path: Location
  /** Only of `move` and `copy`. `move` never moves a value into itself. */
  from: Location
  /** Only of `add`, `replace` and `test`. */
  value: unknown
}

/** What a document may grow to while a patch is applied. */
export interface PatchLimits {
  /**
   * The size of the document in bytes, as JSON in UTF-8. What is counted can differ by a byte for each operation, because
   * every member counts with a comma, also the only one.
   */
  maxBytes: number
  /** How many levels of objects and arrays it may have. */
  maxLevels: number
  /** The size of all values together that the operations copy, move, replace, add and remove, in bytes. */
  maxHandledBytes: number
}

/** An operation cannot be carried out, because the document is not as the patch expects. */
export class PatchConflict extends Error {
  /** What the operation needs: the location of a value in the document. */
  readonly location: Location
  constructor(location: Location, message: string) {
    super(message)
    this.location = location
  }
}

/** An operation would make the document larger than the limits allow, or would handle too much. */
export class PatchTooLarge extends Error {}

/** An operation would nest the document more deeply than the limits allow, at this location. */
export class PatchTooDeep extends Error {
  readonly location: Location
  constructor(location: Location) {
    super('the result is nested too deeply')
    this.location = location
  }
}

/** The operation of a patch that failed, from 0. The cause says why: one of the three errors above. */
export class FailedOperation extends Error {
  readonly index: number
  override readonly cause: PatchConflict | PatchTooLarge | PatchTooDeep
  constructor(index: number, cause: FailedOperation['cause']) {
    super(cause.message)
    this.index = index
    this.cause = cause
  }
}

/**
 * @param document A JSON value, which the function changes
 * @param operations The result contains their values, so they can be applied only once
 * @returns The result; undefined if the patch has removed the whole document
 * @throws FailedOperation
 */
export function applyJsonPatch(document: unknown, operations: readonly PatchOperation[], limits: PatchLimits): unknown {
  const draft = new Draft(document, limits)
  for (const [index, operation] of operations.entries()) {
    try {
      draft.apply(operation)
    } catch (error) {
      const isKnown = error instanceof PatchConflict || error instanceof PatchTooLarge || error instanceof PatchTooDeep
      throw isKnown ? new FailedOperation(index, error) : error
    }
  }
  return draft.document
}

type Container = Record<string, unknown> | unknown[]

/**
 * A document while a patch is applied. It is changed in place, because a patch of a thousand operations that each copy
 * what is on the way to a location can take seconds.
 */
class Draft {
  readonly #limits: PatchLimits
  /** Has the document as its member with an empty name, so that the whole document is a member like any other. */
  readonly #holder: Record<string, unknown>
  #bytes = 0
  #handledBytes = 0

  constructor(document: unknown, limits: PatchLimits) {
    this.#limits = limits
    this.#holder = { '': document }
    this.#bytes = weigh(document)
  }

  get document(): unknown {
    return this.#holder['']
  }

  apply({ op, path, from, value }: PatchOperation): void {
    switch (op) {
      case 'add':
        this.#put(path, value)
        break
      case 'remove':
        this.#take(path)
        break
      case 'replace':
        this.#replace(path, value)
        break
      case 'move':
        this.#put(path, this.#take(from))
        break
      case 'copy':
        this.#put(path, structuredClone(this.#get(from)))
        break
      case 'test':
        if (!isEqual(this.#get(path), value)) throw new PatchConflict(path, 'has another value')
    }
  }

  /** The value at a location. @throws PatchConflict if there is none */
  #get(location: Location): unknown {
    const { container, name } = this.#find(location)
    return memberOf(container, name)
  }

  /** Adds a value, as `add` does. */
  #put(location: Location, value: unknown): void {
    const { container, name } = this.#findPlace(location)
    this.#handle(value, 1, location)
    if (Array.isArray(container)) {
      container.splice(name === '-' ? container.length : Number(name), 0, value)
      this.#bytes += COMMA_BYTES
    } else {
      if (Object.hasOwn(container, name)) this.#handle(container[name], -1, location)
      else this.#bytes += bytesOfName(name)
      setMember(container, name, value)
    }
    this.#requireSize()
  }

  /** Removes a value. @returns It. @throws PatchConflict if there is none */
  #take(location: Location): unknown {
    const { container, name } = this.#find(location)
    const value = memberOf(container, name)
    this.#handle(value, -1, location)
    if (Array.isArray(container)) {
      container.splice(Number(name), 1)
      this.#bytes -= COMMA_BYTES
    } else {
      delete container[name]
      this.#bytes -= bytesOfName(name)
    }
    return value
  }

  /** @throws PatchConflict if there is no value */
  #replace(location: Location, value: unknown): void {
    const { container, name } = this.#find(location)
    this.#handle(memberOf(container, name), -1, location)
    this.#handle(value, 1, location)
    setMember(container, name, value)
    this.#requireSize()
  }

  /** Counts a value that comes to a location (1) or goes from there (-1). @throws PatchTooLarge, PatchTooDeep */
  #handle(value: unknown, direction: 1 | -1, location: Location): void {
    const { maxLevels, maxHandledBytes } = this.#limits
    if (direction === 1 && location.length + countLevels(value) > maxLevels) throw new PatchTooDeep(location)
    const bytes = weigh(value)
    this.#bytes += direction * bytes
    this.#handledBytes += bytes
    if (this.#handledBytes > maxHandledBytes)
      throw new PatchTooLarge(`the operations handle more than ${maxHandledBytes} bytes`)
  }

  #requireSize(): void {
    const { maxBytes } = this.#limits
    if (this.#bytes > maxBytes) throw new PatchTooLarge(`the document would have more than ${maxBytes} bytes`)
  }

  /** The object or array that contains a location, and the name there. @throws PatchConflict if there is no value */
  #find(location: Location): { container: Container; name: string } {
    const place = this.#findPlace(location)
    if (!hasMember(place.container, place.name)) throw new PatchConflict(location, NOTHING)
    return place
  }

  /** The same, for a value to add. @throws PatchConflict if no value can be added there */
  #findPlace(location: Location): { container: Container; name: string } {
    const way = ['', ...location]
    const name = way.pop() ?? ''
    let container: Container = this.#holder
    for (const [index, token] of way.entries()) {
      const next: unknown = hasMember(container, token) ? memberOf(container, token) : undefined
      if (!isContainer(next)) throw new PatchConflict(location.slice(0, index), 'has no members, or does not exist')
      container = next
    }
    const canAdd = !Array.isArray(container) || name === '-' || indexOf(name) <= container.length
    if (!canAdd) throw new PatchConflict(location, NOTHING)
    return { container, name }
  }
}

const NOTHING = 'does not exist'

/** The index of an item of an array (RFC 6901, section 4). */
const INDEX = /^(?:0|[1-9]\d*)$/

/** The index that a name means; infinity if it means none. */
function indexOf(name: string): number {
  return INDEX.test(name) ? Number(name) : Number.POSITIVE_INFINITY
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/** Whether an object has a member of its own, or an array an item. */
function hasMember(container: Container, name: string): boolean {
  return Array.isArray(container) ? indexOf(name) < container.length : Object.hasOwn(container, name)
}

function memberOf(container: Container, name: string): unknown {
  return Array.isArray(container) ? container[Number(name)] : container[name]
}

/** Sets a member as data, whatever its name is: an assignment to `__proto__` would replace the prototype. */
function setMember(container: Container, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
}

const COMMA_BYTES = 1

/** The size of a name and what separates it from the value and from the next name. */
function bytesOfName(name: string): number {
  return countBytes(JSON.stringify(name)) + 1 + COMMA_BYTES
}

/** The size of a value as JSON. */
function weigh(value: unknown): number {
  return countBytes(JSON.stringify(value))
}

/** How many levels of objects and arrays a value has. */
function countLevels(value: unknown): number {
  if (!isContainer(value)) return 0
  let deepest = 0
  for (const member of Object.values(value)) deepest = Math.max(deepest, countLevels(member))
  return deepest + 1
}

/** -0 is read as NaN (doubles.ts). Numbers are compared by their value, and that of -0 is 0. */
function withoutSign(value: unknown): unknown {
  return Number.isNaN(value) ? 0 : value
}

/** Whether two JSON values are equal (RFC 6902, section 4.6). */
function isEqual(one: unknown, other: unknown): boolean {
  if (!isContainer(one) || !isContainer(other)) return withoutSign(one) === withoutSign(other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => hasMember(other, name) && isEqual(memberOf(one, name), memberOf(other, name)))
  )
}
