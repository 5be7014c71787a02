// Values, as a client in TypeScript has them.

/** A day without a time. */
export class CalendarDate {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class NamedFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array

  constructor(name: string, type: string, bytes: Uint8Array) {
    this.name = name
    this.type = type
    this.bytes = bytes
  }
}

export interface Members {
  readonly [name: string]: Value
}

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | CalendarDate
  | NamedFile
  | Uint8Array
  | readonly Value[]
  | Members

export const isMembers = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
