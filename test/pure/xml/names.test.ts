import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeName, encodeName } from '../../../src/xml/names.ts'
import { eachRow } from '../../support/each-row.ts'

// Any property name can be an element name, and vice versa.

describe('a property name becomes an element name', () => {
  it('with an escape for each character that an element name cannot have', () =>
    eachRow(
      [
        ['mass', 'mass'],
        ['orbital-period.2_x', 'orbital-period.2_x'],
        ['Größe', 'Größe'],
        ['半径', '半径'],
        ['🪐', '_x0001FA90_'],
        ['CO₂', 'CO_x2082_'],
        ['Марс', 'Марс'],
        ['constructor', 'constructor'],
        ['__proto__', '__proto__'],
        ['xmlns', '_x0078_mlns'],
        ['XML', '_x0058_ML'],
        ['axml', 'axml'],
        ['surface pressure', 'surface_x0020_pressure'],
        [' ', '_x0020_'],
        ['a\tb\r\n', 'a_x0009_b_x000D__x000A_'],
        ['1st', '_x0031_st'],
        ['-1', '_x002D_1'],
        ['.5', '_x002E_5'],
        ['#text', '_x0023_text'],
        [':@', '_x003A__x0040_'],
        ['xsi:nil', 'xsi_x003A_nil'],
        ['a b><x', 'a_x0020_b_x003E__x003C_x'],
        ['"&\'', '_x0022__x0026__x0027_'],
        ['a]]>', 'a_x005D__x005D__x003E_'],
        ['\u0000', '_x0000_'],
        ['\ud800', '_xD800_'],
        ['\uffff', '_xFFFF_'],
        ['\u{f0000}', '_x000F0000_'],
        ['\u{10ffff}', '_x0010FFFF_'],
      ],
      ([property, element]) => {
        expect(encodeName(property)).toBe(element)
        expect(decodeName(element)).toBe(property)
      },
    ))

  it('each boundary of the characters that a name can begin with, or have later', () =>
    eachRow(
      [
        ['the multiplication sign', '\u00d7', '_x00D7_', '_x00D7_'],
        ['the division sign', '\u00f7', '_x00F7_', '_x00F7_'],
        ['the Greek question mark', '\u037e', '_x037E_', '_x037E_'],
        ['a no-break space', '\u00a0', '_x00A0_', '_x00A0_'],
        ['an ideographic space', '\u3000', '_x3000_', '_x3000_'],
        ['a middle dot', '\u00b7', '_x00B7_', '_x00B7_'],
        ['a combining accent', '\u0301', '_x0301_', '_x0301_'],
        ['a tie', '\u203f', '_x203F_', '_x203F_'],
        ['a digit, which fits within a name only', '7', '_x0037_', '7'],
        ['a letter', 'é', 'é', 'é'],
        ['a joiner', '\u200d', '_x200D_', '_x200D_'],
        ['a letter beyond 16 bits', '\u{10000}', '_x00010000_', '_x00010000_'],
        ['the last letter', '\u{effff}', '_x000EFFFF_', '_x000EFFFF_'],
      ],
      ([, character, first, later]) => {
        expect(encodeName(character)).toBe(first)
        expect(encodeName(`a${character}`)).toBe(`a${later}`)
      },
    ))
})

it('some are read as element names, though they are not written as one', () =>
  eachRow(['🪐', 'CO₂', 'a·', 'a\u0301', 'xmlns'], (name) => {
    expect(decodeName(name)).toBe(name)
  }))

describe('a property name that looks like an escape is distinguished from one', () => {
  it('by another escape', () =>
    eachRow(
      [
        ['_x0020_', '_x005F_x0020_'],
        ['a_x00e9_b', 'a_x005F_x00e9_b'],
        ['_x005F_', '_x005F_x005F_'],
        ['_x005F_x0020_', '_x005F_x005F_x005F_x0020_'],
        ['_x0001FA90_', '_x005F_x0001FA90_'],
        ['_x0020__x0020_', '_x005F_x0020__x005F_x0020_'],
        ['_x0020_x0020_', '_x005F_x0020_x005F_x0020_'],
        // Open at its end: the text that follows in the document must not close it.
        ['_x0041', '_x005F_x0041'],
        ['_x0041 ', '_x005F_x0041_x0020_'],
        ['_x00 ', '_x00_x0020_'],
        [' x0041_', '_x0020_x0041_'],
        ['_', '_'],
        ['__', '__'],
        ['_x', '_x'],
        ['_x20_', '_x20_'],
        ['_x002_', '_x002_'],
        ['_xyz1_', '_xyz1_'],
        ['_X0020_', '_X0020_'],
      ],
      ([property, element]) => {
        expect(encodeName(property)).toBe(element)
        expect(decodeName(element)).toBe(property)
      },
    ))
})

describe('an element name of another writer becomes a property name', () => {
  it('whatever escapes it has', () =>
    eachRow(
      [
        ['small digits', 'a_x00e9_', 'aé'],
        ['eight digits', '_x0001FA90_', '🪐'],
        ['eight digits where four would do', '_x00000041_', 'A'],
        ['a pair of surrogates', '_xD83E__xDE90_', '🪐'],
        ['a lone surrogate', '_xD83E_', '\ud83e'],
        ['U+0000', 'a_x0000_', 'a\u0000'],
        ['a needless escape', '_x0041_', 'A'],
        ['escapes that share their underscore', '_x0041_x0042_', 'Ax0042_'],
        ['an escaped underscore', '_x005F_x0041_', '_x0041_'],
        ['two digits', '_x41_', '_x41_'],
        ['six digits', '_x000041_', '_x000041_'],
        ['a capital X', '_X0041_', '_X0041_'],
        ['beyond Unicode', '_x00110000_', '_x00110000_'],
        ['far beyond Unicode', '_xFFFFFFFF_', '_xFFFFFFFF_'],
      ],
      ([, element, property]) => {
        expect(decodeName(element)).toBe(property)
      },
    ))
})

/** Text of any UTF-16 units, lone surrogates included. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), { minLength: 1 })
  .map((units) => String.fromCharCode(...units))
const codePoints = fc.string({ unit: 'binary', minLength: 1 })
const lookAlikes = fc.string({
  unit: fc.constantFrom(
    '_',
    'x',
    'X',
    '0',
    '1',
    '4',
    '5',
    'F',
    'f',
    'D',
    '8',
    ' ',
    '_x0041_',
    '_x005F_',
    '_x0001FA90_',
  ),
  minLength: 1,
})
// Namespaces in XML 1.0, section 4, with the ranges of XML 1.0, section 2.3, written out independently.
const START =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
const NCNAME = new RegExp(`^[${START}][${START}0-9.\\xB7\\u0300-\\u036F\\u203F-\\u2040\\-]*$`, 'u')

it.each([
  ['UTF-16 units', anyText],
  ['Unicode', codePoints],
  ['texts that look like escapes', lookAlikes],
])('any property name of %s is an element name without a prefix, and is read back', (_, names) => {
  fc.assert(
    fc.property(names, (property) => {
      expect(encodeName(property)).toMatch(NCNAME)
      expect(decodeName(encodeName(property))).toBe(property)
    }),
    { numRuns: 3000 },
  )
})
