import type { Expected } from '../case.ts'
import { type Finding, type Part, quote, report, Stop, stop, untilStop } from './part.ts'
import { compareText, isSameInteger, isSameNumber, KINDS } from './scalars.ts'
import { type Text, TextBuilder, toBytes, toText } from './text.ts'

/** Deeper values are not read. The values of all cases are flatter. */
const DEPTH_MAX = 100

const BYTE_ORDER_MARK = '\xef\xbb\xbf'

const SPACE = /[ \t\r\n]*/y
/** A value without parts: a number, or one of three words. */
const PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** The characters of a text that are no escapes. */
const RAW = /[ !#-[\]-\xff]+/y
/** An escape. The two halves of a character beyond 16 bits belong together. */
const ESCAPE = /\\(?:(["\\/bfnrt])|u([dD][89abAB][\da-fA-F]{2})(?:\\u([dD][c-fC-F][\da-fA-F]{2}))?|u([\da-fA-F]{4}))/y
const ESCAPES: Readonly<Record<string, string | undefined>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

type ExpectedObject = Extract<Expected, { is: 'object' }>

const ANY_OBJECT: ExpectedObject = { is: 'object', members: {}, isOpen: true }

/** Whether a number or a word is the expected value. */
function isSamePlain(plain: string, expected: Expected | undefined): boolean {
  const isNumber = /\d/.test(plain)
  switch (expected?.is) {
    case 'integer':
      return isNumber && isSameInteger(plain, expected.value)
    case 'number':
      return isNumber && isSameNumber(plain, expected.value)
    case 'boolean':
      return plain === String(expected.value)
    default:
      return expected?.is === plain
  }
}

const nameText = (text: string) => `the text ${quote(text)}`

/** A number or a word, as JSON writes it. */
const namePlain = (plain: string) => `${/\d/.test(plain) ? 'the number ' : ''}${quote(plain).replaceAll('"', '')}`

/** An expected value in words, with its type: the text "3" is not the number 3. */
function nameExpected(expected: Expected): string {
  if (!('value' in expected)) return KINDS[expected.is]
  const { is, value } = expected
  return is === 'integer' || typeof value !== 'string' ? namePlain(String(value)) : nameText(toBytes(value))
}

/**
 * Compares JSON (RFC 8259) while it is read, up to the first difference. It costs linear time.
 * @param what What contains the JSON, in a sentence
 */
export function compareJson(part: Part, text: Text, expected: Expected, what: string): void {
  untilStop(() => new JsonReader(part, text, what).compare(expected))
}

class JsonReader {
  readonly #part: Part
  readonly #text: Text
  readonly #what: string
  /** The difference that was noted before this reader began. */
  readonly #before: Finding | undefined
  #index = 0

  constructor(part: Part, text: Text, what: string) {
    this.#part = part
    this.#text = text
    this.#what = what
    this.#before = part.fail
  }

  compare(expected: Expected): void {
    // It stands only at the beginning of a body, and not of a line or of a value in a form.
    if (this.#text.value.startsWith(BYTE_ORDER_MARK) && this.#text.at(0) === 0) {
      this.#index = BYTE_ORDER_MARK.length
      report(this.#part, 'nonStrict', this.#text.at(0), `${this.#what} begins with a byte order mark.`)
    }
    this.#skipSpace()
    this.#value(expected, '', 0)
    this.#skipSpace()
    if (this.#index < this.#text.value.length) this.#fail('goes on after the end of its JSON')
  }

  #fail(problem: string, index = this.#index): never {
    return stop(this.#part, this.#text.at(index), `${this.#what} ${problem}.`)
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#index
    const match = pattern.exec(this.#text.value)
    if (match) this.#index += match[0].length
    return match
  }

  #isAt(sign: string): boolean {
    return this.#text.value.charAt(this.#index) === sign
  }

  #skipSpace(): void {
    this.#match(SPACE)
  }

  /** Takes a sign, and the white space after it, if it is there. */
  #take(sign: string): boolean {
    if (!this.#isAt(sign)) return false
    this.#index++
    this.#skipSpace()
    return true
  }

  /** Reads a value, and breaks off if it is another one. @param expected Undefined if any value may be there */
  #value(expected: Expected | undefined, pointer: string, depth: number): void {
    if (depth > DEPTH_MAX) this.#fail('is nested too deeply')
    const start = this.#index
    const place = pointer === '' ? this.#what : `${this.#what} at ${pointer}`
    const other = (value: string) => {
      if (!expected) return
      report(this.#part, 'fail', this.#text.at(start), `${place} is ${value}, not ${nameExpected(expected)}.`)
      throw new Stop()
    }
    if (this.#take('{')) {
      if (expected?.is !== 'object') other('an object')
      this.#members(expected?.is === 'object' ? expected : ANY_OBJECT, pointer, depth)
    } else if (this.#take('[')) {
      if (expected?.is !== 'list') other('a list')
      this.#items(expected?.is === 'list' ? expected.items : undefined, pointer, depth)
    } else if (this.#isAt('"')) {
      const text = this.#string()
      if (expected?.is === 'text' || expected?.is === 'instant' || expected?.is === 'bytes') {
        compareText(this.#part, text, expected, place)
      } else other(nameText(text.value))
    } else {
      const plain = this.#match(PLAIN)?.[0]
      if (plain === undefined) this.#fail(start < this.#text.value.length ? 'is no JSON here' : 'ends too early')
      else if (!isSamePlain(plain, expected)) other(namePlain(plain))
    }
    // After a difference nothing else can be the first one.
    if (this.#part.fail !== this.#before) throw new Stop()
  }

  #members(
    { members, isOpen, tolerated, absent, optional = {} }: ExpectedObject,
    pointer: string,
    depth: number,
  ): void {
    const seen = new Set<string>()
    if (!this.#isAt('}')) {
      do {
        const start = this.#index
        if (!this.#isAt('"')) this.#fail('has no name of a member here')
        const { value } = this.#string()
        const name = toText(value)
        const known = Object.hasOwn(members, name) ? members : optional
        const expected = Object.hasOwn(known, name) ? known[name] : undefined
        if (seen.has(name)) this.#fail(`has the member ${quote(value)} twice`, start)
        seen.add(name)
        if (tolerated?.includes(name)) {
          const reason = `${this.#what} has the member ${quote(value)}, which a client does not send.`
          report(this.#part, 'nonStrict', this.#text.at(start), reason)
        } else if (!expected && (!isOpen || absent?.includes(name))) {
          this.#fail(`has the member ${quote(value)}, which should not be there`, start)
        }
        this.#skipSpace()
        if (!this.#take(':')) this.#fail('has no colon here')
        this.#value(expected, expected ? `${pointer}/${name}` : '', depth + 1)
        this.#skipSpace()
      } while (this.#take(','))
    }
    const missing = Object.keys(members).find((name) => !seen.has(name))
    if (missing !== undefined && this.#isAt('}')) this.#fail(`has no member at ${pointer}/${missing}`)
    if (!this.#take('}')) this.#fail('has no comma and no closing brace here')
  }

  #items(items: readonly Expected[] | undefined, pointer: string, depth: number): void {
    let count = 0
    if (!this.#isAt(']')) {
      let separator = this.#index
      do {
        if (count === items?.length) this.#fail(`has more items than ${count}${pointer && ` at ${pointer}`}`, separator)
        this.#value(items?.[count], `${pointer}/${count}`, depth + 1)
        count++
        this.#skipSpace()
        separator = this.#index
      } while (this.#take(','))
    }
    if (items && count < items.length && this.#isAt(']')) this.#fail(`has no item at ${pointer}/${count}`)
    if (!this.#take(']')) this.#fail('has no comma and no closing bracket here')
  }

  /** Reads a text, whose first quote is here. */
  #string(): Text {
    const text = new TextBuilder()
    this.#index++
    while (!this.#isAt('"')) {
      const start = this.#index
      const raw = this.#match(RAW)?.[0] ?? ''
      for (let i = 0; i < raw.length; i++) text.add(raw.charAt(i), this.#text.at(start + i))
      if (this.#isAt('"')) break
      const at = this.#text.at(this.#index)
      const [, short, high, low, single] =
        this.#match(ESCAPE) ?? this.#fail('has a text with an illegal character, or without an end')
      const hex = [high ?? single, low].filter((half) => half !== undefined)
      const escaped = hex.map((half) => String.fromCharCode(Number.parseInt(half, 16))).join('')
      text.add(toBytes(short === undefined ? escaped : (ESCAPES[short] ?? short)), at)
    }
    const end = this.#text.at(this.#index)
    this.#index++
    return text.build(end)
  }
}
