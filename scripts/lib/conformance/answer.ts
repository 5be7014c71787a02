import { Failure } from './failure.ts'
import { findFault, type Shape } from './shapes.ts'
import { parseXml, type XmlElement } from './xml.ts'

/** How much of a response a report shows, in characters. */
const SHOWN_MAX = 600

// biome-ignore lint/suspicious/noExplicitAny: what is wrong with the shape of a response is what the checks find out
export type Members = Record<string, any>

/** What the value of a header should be. */
export type Expected = string | RegExp | { what: string; holds(value: string): boolean }

/** A response that was read to its end. Each method throws a Failure if the response is not as the method requires. */
export class Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The request in words, for reports. */
  readonly request: string

  constructor(response: { status: number; headers: Headers }, bytes: Uint8Array, request: string) {
    this.status = response.status
    this.headers = response.headers
    this.bytes = bytes
    this.request = request
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes)
  }

  /** Says that this response is wrong. */
  fail(expected: string, actual: string): never {
    throw new Failure(expected, actual, this.request)
  }

  expect(condition: unknown, expected: string, actual: string = this.#shown()): void {
    if (!condition) this.fail(expected, actual)
  }

  expectStatus(...statuses: number[]): this {
    this.expect(statuses.includes(this.status), `status ${statuses.join(' or ')}`, `${this.status} ${this.#shown()}`)
    return this
  }

  /** @returns The value of the header */
  expectHeader(name: string, expected?: Expected): string {
    const value = this.headers.get(name)
    if (value === null) this.fail(`the header ${name}`, `status ${this.status} without it`)
    if (expected === undefined) return value
    const [holds, what] = judge(value, expected)
    this.expect(holds, `${name}: ${what}`, `${name}: ${value}`)
    return value
  }

  expectNoHeader(name: string): void {
    const value = this.headers.get(name)
    this.expect(value === null, `no header ${name}`, `${name}: ${value}`)
  }

  /** The body as JSON, with the right Content-Type. */
  json(shape?: Shape, type: RegExp = /^application\/json(;|$)/): Members {
    this.expectHeader('Content-Type', type)
    const value = this.#parse()
    if (shape) this.expectShape(value, shape)
    return value
  }

  expectShape(value: unknown, shape: Shape, what = 'the body'): void {
    const fault = findFault(value, shape)
    if (fault) this.fail(`${what} as ${shape.title ?? 'documented'}`, `${fault}: ${this.#shown()}`)
  }

  /** The root element of the body, with the right Content-Type. */
  xml(root: string, type: RegExp = /^(application|text)\/xml(;|$)/): XmlElement {
    this.expectHeader('Content-Type', type)
    const element = parseXml(this.text)
    if (!element) this.fail('well-formed XML', this.#shown())
    this.expect(element.name === root, `the root element ${root}`)
    return element
  }

  #parse(): Members {
    try {
      return JSON.parse(this.text)
    } catch {
      this.fail('JSON', this.#shown())
    }
  }

  #shown(): string {
    if (this.bytes.length === 0) return '(no body)'
    const text = this.text
    return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
  }
}

function judge(value: string, expected: Expected): [boolean, string] {
  if (typeof expected === 'string') return [value === expected, expected]
  if (expected instanceof RegExp) return [expected.test(value), `what matches ${expected}`]
  return [expected.holds(value), expected.what]
}
