import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES = 0x800

/** Any character of Unicode. The table of fast-check itself takes seconds to create. */
const aCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((code) => String.fromCodePoint(code < SURROGATES_START ? code : code + SURROGATES))

/** A text of letters with a meaning in some format, or of any characters. */
export const aText = fc.oneof(fc.string(), fc.string({ unit: aCharacter }))
