// JSON for reading. The text is indented and otherwise unchanged: numbers and escapes stay as they were sent.

// A string, a bracket, a comma, a colon, or any other value (a number, true, false or null).
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Indents a JSON text. Returns undefined if the text is not a JSON object or array. */
export function formatJson(text: string): string | undefined {
  if (!isCollection(text)) return undefined
  let depth = 0
  let formatted = ''
  let previous = ''
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']'
    const isAfterStart = previous === '{' || previous === '['
    const endsEmptyCollection = isEnd && isAfterStart
    const beginsLine = (isAfterStart || previous === ',' || isEnd) && !endsEmptyCollection
    if (isEnd) depth--
    if (beginsLine) formatted += `\n${'  '.repeat(depth)}`
    formatted += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth++
    previous = token
  }
  return formatted
}

/** Whether a text is a JSON object or array. */
function isCollection(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
