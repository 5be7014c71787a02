/**
 * Breaks an XML document of this service into lines, so that people can read it. Each element of such a document
 * contains either elements or text. So the line breaks never change a text.
 */
export function indentXml(document: string): string {
  let depth = 0
  const lines = document.match(LINE) ?? []
  return lines
    .map((line) => {
      if (line.startsWith('</')) depth--
      const indented = '  '.repeat(depth) + line
      if (OPENING.test(line)) depth++
      return indented
    })
    .join('\n')
}

/** The declaration, an element with its text, an empty element, or a tag. */
const LINE = /<\?[^>]*\?>|<([^\s>/]+)>[^<]*<\/\1>|<[^>]+>/g
/** A line that is the tag at the beginning of an element: with only one `<`, and without `/` at its start or end. */
const OPENING = /^<[^?/](?:[^<]*[^/])?>$/
