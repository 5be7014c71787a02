/**
 * Breaks a document of this service into lines, so that people can read it. Its elements contain either elements or
 * text, so no text changes.
 */
export function indentXml(document: string): string {
  let depth = 0
  const lines = document.match(LINE) ?? []
  return lines
    .map((line) => {
      if (line.startsWith('</')) depth--
      const indented = '  '.repeat(Math.max(depth, 0)) + line
      if (OPENING.test(line)) depth++
      return indented
    })
    .join('\n')
}

/** The declaration, an element with its text, an empty element, or a tag. */
const LINE = /<\?[^>]*\?>|<([^\s>/]+)>[^<]*<\/\1>|<[^>]+>/g
/** The tag at the beginning of an element that contains elements. */
const OPENING = /^<[^?/](?:[^<]*[^/])?>$/
