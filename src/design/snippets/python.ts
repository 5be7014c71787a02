import type { ShownBody } from '../shown-request.ts'
import type { PlainRequest } from './plain-request.ts'
import {
  encodeFormName,
  escapeInvisible,
  hasLines,
  parseFaithfully,
  quote,
  quoteEither,
  toByteString,
} from './quote.ts'

/** Uses http.client, because urllib raises an error if the status is not 2xx. */
export function toPython({ method, url, headers, body }: PlainRequest): string {
  const { protocol, host, pathname, search } = new URL(url)
  const connection = protocol === 'https:' ? 'HTTPSConnection' : 'HTTPConnection'
  const parts = body ? writeBody(body) : { imports: [], before: [], value: '', headers: [] }
  const headerLines = [...headers.map(writeHeader), ...parts.headers]
  const args = [
    `${quoteText(method)},`,
    `${quoteText(pathname + search)},`,
    ...(parts.value === '' ? [] : [`body=${parts.value},`]),
    ...(headerLines.length === 0 ? [] : ['headers={', ...headerLines.map((line) => `    ${line}`), '},']),
  ]
  return [
    ...[...parts.imports, `from http.client import ${connection}`].sort(compareImports),
    '',
    ...parts.before,
    `connection = ${connection}(${quoteText(host)})`,
    `connection.request(\n    ${args.join('\n    ')}\n)`,
    'response = connection.getresponse()',
    'print(response.status, response.read().decode())',
  ].join('\n')
}

const quoteText = (text: string) => quoteEither(text, '"')

/** Sorts the lines `import …` before the lines `from …`, and lines of the same kind by name. */
function compareImports(one: string, other: string): number {
  return Number(one.startsWith('from')) - Number(other.startsWith('from')) || one.localeCompare(other)
}

function writeHeader([name, value]: readonly [string, string]): string {
  return `${quoteText(name)}: ${quoteText(toByteString(value))},`
}

/** The parts of the program that depend on the body. */
interface BodyParts {
  imports: string[]
  /** Lines before the request. */
  before: string[]
  /** The expression for the body; empty if there is none. */
  value: string
  /** Lines of headers that the body needs. */
  headers: string[]
}

function writeBody(body: ShownBody): BodyParts {
  if ('field' in body) return writeForm(body)
  const json = parseFaithfully(body.text)
  if (!json) return { imports: [], before: [], value: `${writeText(body.text)}.encode()`, headers: [] }
  const before = [`body = ${writeValue(json.value, '')}`, '']
  return { imports: ['import json'], before, value: 'json.dumps(body).encode()', headers: [] }
}

/** Writes a text as a literal, which can have several lines. A quotation mark that could end the literal is escaped. */
function writeText(text: string): string {
  if (!hasLines(text)) return quoteText(text)
  const escaped = text.replaceAll('\\', '\\\\').replaceAll(/"(?=""|$)/g, '\\"')
  return `"""${escapeInvisible(escaped, '\n\t')}"""`
}

/** The values of JSON that have another name in Python. */
const WORDS: ReadonlyMap<unknown, string> = new Map([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
])

/** Writes a value of JSON as a Python literal. @param indentation The indentation of the line in which it begins */
function writeValue(value: unknown, indentation: string): string {
  if (typeof value === 'string') return quoteText(value)
  if (typeof value !== 'object' || value === null) return WORDS.get(value) ?? String(value)
  const inner = `${indentation}    `
  const items = Array.isArray(value)
    ? value.map((item) => writeValue(item, inner))
    : Object.entries(value).map(([name, item]) => `${quoteText(name)}: ${writeValue(item, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indentation}${close}`
}

/** Writes the code that builds a form (RFC 7578), because the standard library cannot. */
function writeForm({ field, fileName }: { field: string; fileName: string }): BodyParts {
  const disposition = `Content-Disposition: form-data; name="${encodeFormName(field)}"; filename="${encodeFormName(fileName)}"`
  return {
    imports: ['from pathlib import Path', 'from uuid import uuid4'],
    before: [
      'boundary = uuid4().hex',
      `file = Path(${quoteText(fileName)}).read_bytes()`,
      'head = (',
      '    f"--{boundary}\\r\\n"',
      `    ${quote(`${disposition}\r\n`, "'")}`,
      '    "Content-Type: application/octet-stream\\r\\n\\r\\n"',
      ')',
      'tail = f"\\r\\n--{boundary}--\\r\\n"',
      '',
    ],
    value: 'head.encode() + file + tail.encode()',
    headers: ['"Content-Type": f"multipart/form-data; boundary={boundary}",'],
  }
}
