const INDENT = '  '

/** Words that readers of YAML 1.1 take for booleans or null, and an exponent, which some take for a number. */
const RESERVED = /^(?:true|false|yes|no|on|off|y|n|null|e[-+]?\d+)$/i
/**
 * Texts that need no quotes. They begin like no number, date or syntax of YAML 1.1 and 1.2, and contain neither `: ` nor
 * ` #`, which would end them.
 */
const PLAIN = /^[A-Za-z/$](?:[^\p{C}\p{Z}:]|:(?! |$)| (?! *(?:#|$)))*$/u
/**
 * Texts of several lines that can be written as they are. A space at the beginning would be taken for indentation, and
 * line ends at the end would be lost, except for the last one.
 */
const LINES = /^(?=.+\n)(?!.*\n\n$)[^\s\p{C}](?:[^\p{C}\p{Zl}\p{Zp}]|\n)*$/su
/** Characters that JSON does not escape and YAML does not allow, or takes for line ends. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Writes a document as YAML that readers of YAML 1.1 and 1.2 understand alike, without anchors. */
export function printYaml(document: object): string {
  return `${isBlock(document) ? printBlock(document, '') : printInline(document, '')}\n`
}

/** Writes a list or an object, one member for each line. */
function printBlock(value: object, indent: string): string {
  const inner = indent + INDENT
  const members = Array.isArray(value)
    ? value.map((item) => `- ${isBlock(item) ? printBlock(item, inner) : printInline(item, inner)}`)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${printText(name)}:${printMember(member, inner)}`)
  return members.join(`\n${indent}`)
}

function printMember(member: unknown, indent: string): string {
  return isBlock(member) ? `\n${indent}${printBlock(member, indent)}` : ` ${printInline(member, indent)}`
}

/** Whether a value is a list or an object with members. Empty ones are written like scalars. */
function isBlock(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => member !== undefined)
}

function printInline(value: unknown, indent: string): string {
  if (typeof value === 'string') return LINES.test(value) ? printLines(value, indent) : printText(value)
  // Readers of YAML 1.1 take a number with an exponent for a text if it has no point.
  return JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e')
}

function printText(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text
  const asEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replaceAll(UNPRINTABLE, asEscape)
}

/** Writes a text of several lines unchanged, except for its indentation. `-` says that it has no line end at its end. */
function printLines(text: string, indent: string): string {
  const indented = text.replace(/\n$/, '').replaceAll(/^(?=.)/gm, indent)
  return `|${text.endsWith('\n') ? '' : '-'}\n${indented}`
}
