import type { ShownBody } from '../shown-request.ts'
import type { PlainRequest } from './plain-request.ts'
import { escapeInvisible, hasLines, indentRest, parseFaithfully, quoteEither, toByteString } from './quote.ts'

/** Writes a request in JavaScript, as a module for Node. */
export function toFetch({ method, url, headers, body }: PlainRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoteText(method)},`]),
    ...(headers.length > 0 ? ['headers: {', ...headers.map(writeHeader), '},'] : []),
    ...(body ? [`body: ${writeBody(body)},`] : []),
  ]
  const call = options.length > 0 ? `${quoteText(url)}, {\n  ${options.join('\n  ')}\n}` : quoteText(url)
  return [
    ...(body && 'field' in body ? writeForm(body) : []),
    `const response = await fetch(${call})`,
    'console.log(response.status, await response.text())',
  ].join('\n')
}

const quoteText = (text: string) => quoteEither(text, "'")

function writeHeader([name, value]: readonly [string, string]): string {
  const key = /^[a-z]+$/i.test(name) ? name : quoteText(name)
  return `  ${key}: ${quoteText(toByteString(value))},`
}

function writeBody(body: ShownBody): string {
  if ('field' in body) return 'form'
  const json = parseFaithfully(body.text)
  // Every JSON text is also a JavaScript expression (ECMA-262, section 12.9.4).
  if (json) return `JSON.stringify(${indentRest(escapeInvisible(JSON.stringify(json.value, null, 2), '\n'), '  ')})`
  return hasLines(body.text) ? writeTemplate(body.text) : quoteText(body.text)
}

/** Writes a text as a template literal, which can have several lines. */
function writeTemplate(text: string): string {
  const escaped = text.replaceAll(/[`\\]|\$(?=\{)/g, '\\$&')
  return `\`${escapeInvisible(escaped, '\n\t')}\``
}

function writeForm({ field, fileName }: { field: string; fileName: string }): string[] {
  return [
    "import { readFile } from 'node:fs/promises'",
    '',
    '// In a browser, take the file from an <input type="file">.',
    `const file = new Blob([await readFile(${quoteText(fileName)})])`,
    'const form = new FormData()',
    `form.set(${quoteText(field)}, file, ${quoteText(fileName)})`,
  ]
}
