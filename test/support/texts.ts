import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES = 0x800

/** Any character of Unicode. fast-check's own table of them takes seconds to make. */
const aCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((code) => String.fromCodePoint(code < SURROGATES_START ? code : code + SURROGATES))

/** A text of letters that mean something somewhere, or of any characters. */
export const aText = fc.oneof(fc.string(), fc.string({ unit: aCharacter }))
