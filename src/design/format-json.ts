// JSON for reading. The text is indented and otherwise unchanged: numbers and escapes stay as they were sent.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Indents a JSON text. Returns undefined if the text is not a JSON object or array. */
export function formatJson(text: string): string | undefined {
  if (!isCollection(text)) return undefined
  let depth = 0
  let formatted = ''
  let previous = ''
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']'
    if (isEnd) depth--
    const isEmpty = isEnd && (previous === '{' || previous === '[')
    const breaks = previous === '{' || previous === '[' || previous === ',' || isEnd
    if (breaks && !isEmpty) formatted += `\n${'  '.repeat(depth)}`
    formatted += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth++
    previous = token
  }
  return formatted
}

function isCollection(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
