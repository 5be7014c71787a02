import { describe, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../../../src/domain/limits.ts'
import { ProblemError } from '../../../../src/domain/problems.ts'
import { requireSafeInput } from '../../../../src/http/body/input-safety.ts'
import { decodeText } from '../../../../src/http/pipeline/formats.ts'
import { parseJson } from '../../../../src/http/pipeline/json.ts'

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** The path of a JSON body up to its schema. */
function read(bytes: Uint8Array): unknown {
  const value = parseJson(decodeText(bytes, undefined))
  requireSafeInput(value, [])
  return value
}

describe('what RFC 8259 allows is accepted', () => {
  it.each<[string, string, unknown]>([
    ['white space around the value', ' \t\r\n{"a":1}\n', { a: 1 }],
    ['a scalar at the top', '"Mars"', 'Mars'],
    ['null at the top', 'null', null],
    ['the last of duplicate keys', '{"a":1,"a":2}', { a: 2 }],
    ['the last of duplicate keys that are written differently', '{"a":1,"\\u0061":2}', { a: 2 }],
    ['escapes', '"\\ud83e\\ude90\\n\\/"', '🪐\n/'],
    ['characters beyond ASCII', '{"火星":"🪐"}', { 火星: '🪐' }],
    ['tab, line feed and carriage return', '"\\t\\n\\r"', '\t\n\r'],
    ['an empty key', '{"":1}', { '': 1 }],
    ['a key that every object has', '{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ])('%s', (_, text, value) => {
    expect(read(encode(text))).toEqual(value)
  })

  it('a byte-order mark is ignored', () => {
    expect(read(new Uint8Array([...BYTE_ORDER_MARK, ...encode('{"a":1}')]))).toEqual({ a: 1 })
  })

  it.each([
    ['arrays', '['.repeat(64) + ']'.repeat(64)],
    ['objects', `${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`],
    ['arrays with a value inside', `${'['.repeat(64)}1${']'.repeat(64)}`],
  ])('64 levels of %s', (_, text) => {
    expect(() => read(encode(text))).not.toThrow()
  })

  it('64 levels more than once, side by side', () => {
    const deep = '['.repeat(63) + ']'.repeat(63)
    expect(read(encode(`[${deep},${deep}]`))).toHaveLength(2)
  })
})

describe('nesting that is too deep is rejected', () => {
  it.each([
    ['65 arrays', '['.repeat(65) + ']'.repeat(65)],
    ['65 objects', `${'{"a":'.repeat(64)}{}${'}'.repeat(64)}`],
    ['arrays and objects in turn', `${'[{"a":'.repeat(33)}1${'}]'.repeat(33)}`],
    ['100,000 arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['as many nested objects as fit', `${'{"a":'.repeat(43_000)}1${'}'.repeat(43_000)}`],
  ])('%s', (_, text) => {
    expect(encode(text).byteLength).toBeLessThanOrEqual(ENTITY_MAX_BYTES)
    expect(refusalOf(encode(text)).message).toMatch(/more than 64 levels/)
  })
})

it('a number that becomes 0 is not hidden by a deep value that a later key replaces', () => {
  const deep = '['.repeat(9000) + ']'.repeat(9000)
  expect(() => read(encode(`{"a":${deep},"a":1,"b":1e-400}`))).toThrow(/more than 64 levels/)
  expect(read(encode(`{"a":[[]],"a":1,"b":1e-400}`))).toEqual({ a: 1, b: Number.POSITIVE_INFINITY })
})

describe('invalid JSON is rejected', () => {
  it.each<[string, Uint8Array]>([
    ['nothing', encode('')],
    ['white space', encode(' \n\t ')],
    ['a byte-order mark alone', new Uint8Array(BYTE_ORDER_MARK)],
    ['a second byte-order mark', new Uint8Array([...BYTE_ORDER_MARK, ...BYTE_ORDER_MARK, ...encode('{}')])],
    ['an object cut off after a key', encode('{"a":')],
    ['an object cut off in a string', encode('{"a":"Ma')],
    ['an array cut off', encode('[1,')],
    ['two values', encode('{}{}')],
    ['a trailing comma', encode('{"a":1,}')],
    ['a comment', encode('{} // Mars')],
    ['single quotes', encode("{'a':1}")],
    ['NaN', encode('{"a":NaN}')],
    ['a number with a leading zero', encode('{"a":01}')],
    ['a raw control character in a string', encode('"a\nb"')],
    ['an unknown escape', encode('"\\x41"')],
    ['a form', encode('name=Mars')],
    ['XML', encode('<planet/>')],
    ['a byte that starts no character', new Uint8Array([0x22, 0xff, 0x22])],
    ['a truncated sequence', new Uint8Array([0x22, 0xe7, 0x81, 0x22])],
    ['an overlong sequence', new Uint8Array([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate as bytes', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['ISO 8859-1', new Uint8Array([0x22, 0xe9, 0x22])],
    ['UTF-16LE', utf16('{"a":1}')],
    ['UTF-16LE with a byte order mark', new Uint8Array([0xff, 0xfe, ...utf16('{"a":1}')])],
    ['UTF-16BE with a byte order mark', new Uint8Array([0xfe, 0xff, ...swapBytes(utf16('{"a":1}'))])],
  ])('%s', (_, bytes) => {
    expect(refusalOf(bytes).faults).toEqual([])
  })

  it.each([
    ['an unknown word', '{"name": nope, "type": "dwarf"}'],
    ['a word at the top', 'hello'],
    ['a text that itself contains a position', 'at position 47'],
  ])('%s is not reported as an early end, or at a wrong position', (_, text) => {
    const { message } = refusalOf(encode(text))
    expect(message).not.toMatch(/too early/)
    expect(message).not.toMatch(/47/)
  })

  it.each([
    ['after a key', '{"a":'],
    ['in a word', '{"a":tru'],
    ['in a string', '{"a":"Ma'],
    ['in an array', '[1,'],
  ])('a body that is cut off %s is reported as ending too early', (_, text) => {
    expect(refusalOf(encode(text)).message).toMatch(/ends too early/)
  })
})

describe('a member that no format can carry is rejected, with a pointer to it', () => {
  it.each([
    ['U+0000 in a string', '{"a":"x\\u0000"}', ['/a']],
    ['U+0000 in a string at the top', '"\\u0000"', ['']],
    ['a control character', '{"a":["ok","\\u001f"]}', ['/a/1']],
    ['a high surrogate alone', '{"a":{"b":"\\ud83e"}}', ['/a/b']],
    ['a low surrogate alone', '{"a":"\\ude90"}', ['/a']],
    ['U+FFFE', '{"a":"\\ufffe"}', ['/a']],
    ['U+FFFF unescaped', '{"a":"\uFFFF"}', ['/a']],
    ['a pointer that needs escapes', '{"a/b~c":"\\u0000"}', ['/a~1b~0c']],
    ['__proto__ at the top', '{"__proto__":{"admin":true}}', ['/__proto__']],
    ['__proto__ with a scalar', '{"__proto__":1}', ['/__proto__']],
    ['__proto__ with an escape', '{"a":[{"\\u005f_proto__":{}}]}', ['/a/0/__proto__']],
    ['U+0000 in a name: the pointer names its object', '{"a":{"b\\u0000":1}}', ['/a']],
    ['a lone surrogate in a name', '{"\\ud800":1}', ['']],
    ['several: all of them', '{"a":"\\u0000","b":["\\ud800"],"__proto__":0}', ['/a', '/b/0', '/__proto__']],
  ])('%s', (_, text, pointers) => {
    expect(refusalOf(encode(text)).faults.map(({ pointer }) => pointer)).toEqual(pointers)
  })

  it('the error names the character', () => {
    expect(refusalOf(encode('{"a":"\\u0000"}')).faults[0]?.detail).toContain('U+0000')
  })
})

it('a body with __proto__ changes no other object', () => {
  refusalOf(encode('{"__proto__":{"polluted":true}}'))
  expect('polluted' in {}).toBe(false)
})

describe('an error never quotes the body, which may contain a password', () => {
  it.each([
    ['an unknown word', 'hunter2'],
    ['a value that is not JSON', '{"password": hunter2}'],
    ['a truncated string', '{"password":"hunter2'],
    ['a wrong sign after a value', '{"password":"hunter2" "email"}'],
    ['an unknown escape', '{"password":"hunter2\\x"}'],
    ['a character that is rejected', '{"password":"hunter2\\u0000"}'],
    ['a value beside __proto__', '{"password":"hunter2","__proto__":"hunter2"}'],
    ['a value nested too deep', `${'['.repeat(65)}"hunter2"${']'.repeat(65)}`],
  ])('%s', (_, text) => {
    const { message, faults } = refusalOf(encode(text))
    expect(message + JSON.stringify(faults)).not.toContain('hunter')
  })

  it('invalid UTF-8', () => {
    expect(refusalOf(new Uint8Array([...encode('"hunter2'), 0xff])).message).not.toContain('hunter')
  })
})

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function utf16(text: string): Uint8Array {
  return new Uint8Array([...text].flatMap((character) => [character.charCodeAt(0), 0]))
}

function swapBytes(bytes: Uint8Array): Uint8Array {
  return bytes.map((_, index) => bytes[index ^ 1] ?? 0)
}

function refusalOf(bytes: Uint8Array): ProblemError {
  try {
    read(bytes)
  } catch (error) {
    if (error instanceof ProblemError) {
      expect(error.code).toBe('malformed-body')
      return error
    }
    throw error
  }
  throw new Error('the body was read')
}
