import { CODE_POINT_MAX } from './characters.ts'

// Names of elements. A property can have any name, but an element cannot (Namespaces in XML 1.0, section 4, NCName). A
// character that some parsers do not accept is written as `_x`, its code point in 4 or 8 hexadecimal digits, and `_`.

// The characters with which a name can begin, and those that can follow (XML 1.0, section 2.3), without the colon.
const START =
  'A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}'
const LATER = `${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`

/** The pattern of a name without a colon (NCName), such as that of an instruction. */
export const PLAIN_XML_NAME = `[${START}][${LATER}]*`

/** The pattern of the name of an element or attribute in a document, with an optional prefix. */
export const QUALIFIED_NAME = `${PLAIN_XML_NAME}(?::${PLAIN_XML_NAME})?`

// Letters (and `_`) that are not escaped: Latin, Greek, Cyrillic, kana, ideographs and Hangul. Older parsers accept
// these letters too, because they are in the fourth edition of XML 1.0 (appendix B).
const UNESCAPED_LETTERS =
  'A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{131}\\u{391}-\\u{3A1}\\u{3A3}-\\u{3CE}\\u{410}-\\u{44F}\\u{3041}-\\u{3094}\\u{30A1}-\\u{30FA}\\u{4E00}-\\u{9FA5}\\u{AC00}-\\u{D7A3}'
const UNESCAPED_START = new RegExp(`[${UNESCAPED_LETTERS}]`, 'u')
const UNESCAPED_LATER = new RegExp(`[${UNESCAPED_LETTERS}\\-.0-9]`, 'u')
// These names are reserved for XML (section 2.3).
const RESERVED = /^xml/i
const ESCAPE = /_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})_/g
// Text that looks like the beginning of an escape, so its `_` must be escaped. The closing `_` is not part of the
// pattern, because the escape of the next character can supply it: `_x0041` and an escaped space would become
// `_x0041_x0020_`, which is read as `A`, followed by `x0020_`.
const BEGINS_ESCAPE = /^_x[0-9A-Fa-f]{4}/
const ESCAPE_BEGINNING_LENGTH = '_x0000'.length

/** Most names of properties are also names of elements. */
const PLAIN_NAME = /^(?!xml)[a-z][a-z0-9]*$/i

/** The element name for a property name, which must not be empty. */
export function encodeName(property: string): string {
  if (PLAIN_NAME.test(property)) return property
  let name = ''
  let index = 0
  for (const character of property) {
    const isAllowed =
      index === 0 ? UNESCAPED_START.test(character) && !RESERVED.test(property) : UNESCAPED_LATER.test(character)
    const isPlain = isAllowed && !BEGINS_ESCAPE.test(property.slice(index, index + ESCAPE_BEGINNING_LENGTH))
    name += isPlain ? character : escapeCharacter(character)
    index += character.length
  }
  return name
}

/** The property name for an element name. */
export function decodeName(name: string): string {
  return name.replaceAll(ESCAPE, (sequence, digits) => {
    const codePoint = Number.parseInt(digits, 16)
    return codePoint > CODE_POINT_MAX ? sequence : String.fromCodePoint(codePoint)
  })
}

function escapeCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0
  const digits = codePoint.toString(16).toUpperCase()
  return `_x${digits.padStart(codePoint > 0xff_ff ? 8 : 4, '0')}_`
}
