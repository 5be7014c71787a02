// Names of elements. A property may have any name, an element may not (Namespaces in XML 1.0, section 4, NCName): a
// character that does not fit is written as its code point between `_x` and `_`, with 4 or 8 hexadecimal digits.

const START =
  'A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}'
const LATER = `${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`

/** What a name of an element or attribute looks like in a document: with a prefix, if it has one. */
export const QUALIFIED_NAME = `[${START}][${LATER}]*(?::[${START}][${LATER}]*)?`

const STARTS = new RegExp(`[${START}]`, 'u')
const FITS = new RegExp(`[${LATER}]`, 'u')
const ESCAPE = /_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})_/g
// Whatever follows it: an escape that comes next would close it.
const BEGINS_ESCAPE = /^_x[0-9A-Fa-f]{4}/

/** The element name for a property name, which may not be empty. */
export function encodeName(property: string): string {
  let name = ''
  let index = 0
  for (const character of property) {
    const fits = (index === 0 ? STARTS : FITS).test(character) && !BEGINS_ESCAPE.test(property.slice(index))
    name += fits ? character : escapeCharacter(character)
    index += character.length
  }
  return name
}

/** The property name that an element name stands for. */
export function decodeName(name: string): string {
  return name.replaceAll(ESCAPE, (sequence, digits) => {
    const codePoint = Number.parseInt(digits, 16)
    return codePoint > 0x10_ff_ff ? sequence : String.fromCodePoint(codePoint)
  })
}

function escapeCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0
  const digits = codePoint.toString(16).toUpperCase()
  return `_x${digits.padStart(codePoint > 0xff_ff ? 8 : 4, '0')}_`
}
