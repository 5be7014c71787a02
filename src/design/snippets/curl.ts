import type { ShownBody } from '../shown-request.ts'
import type { PlainRequest } from './plain-request.ts'
import { escapeInvisible, hasInvisible } from './quote.ts'

/** Writes a request as a command for bash and zsh. `-i` prints the status and the headers of the response. */
export function toCurl({ method, url, headers, body }: PlainRequest): string {
  const lines = [`curl ${methodOf(method, body)} ${quoteForShell(url)}`, ...headers.map(writeHeader), ...bodyOf(body)]
  return pipeOf(body) + lines.join(' \\\n  ')
}

/** Writes a short request without a body in one line. The URL comes last, where readers look for it. */
export function toCurlLine({ method, url, headers }: Omit<PlainRequest, 'body'>): string {
  return ['curl', methodOf(method, undefined), ...headers.map(writeHeader), quoteForShell(url)].join(' ')
}

/** The option for a header. curl sends a header with an empty value only if a semicolon follows the name. */
function writeHeader([name, value]: readonly [string, string]): string {
  return `-H ${quoteForShell(value === '' ? `${name};` : `${name}: ${value}`)}`
}

/** The options for the method. Without `-X`, curl sends GET, or POST if there is a body. */
function methodOf(method: string, body: ShownBody | undefined): string {
  if (method === 'HEAD') return '-I'
  return method === (body ? 'POST' : 'GET') ? '-i' : `-i -X ${quoteForShell(method)}`
}

/** The option for the body; empty if there is no body. */
function bodyOf(body: ShownBody | undefined): string[] {
  if (!body) return []
  if ('field' in body) return [`-F ${quoteForShell(`${body.field}=@${quoteFileName(body.fileName)}`)}`]
  return hasNul(body.text) ? ['--data-binary @-'] : [`--data-raw ${quoteForShell(body.text)}`]
}

/** The command before curl that writes the body, if the body contains NUL. An argument of curl cannot contain NUL. */
function pipeOf(body: ShownBody | undefined): string {
  if (!body || 'field' in body || !hasNul(body.text)) return ''
  const format = body.text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', '\\000')
  return `printf -- ${quoteForShell(format)} | `
}

const hasNul = (text: string) => text.includes('\0')

/** Quotes a name with characters that mean something to curl. The name `-` would mean the standard input. */
function quoteFileName(name: string): string {
  const path = name === '-' ? './-' : name
  return /[",;\\]|^\s|\s$/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&')}"` : path
}

/** Plain quotes keep ends of lines and tabs. `$'…'` escapes other invisible characters, and then tabs as well. */
function quoteForShell(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text
  if (!hasInvisible(text, '\n\t')) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${escapeInvisible(text.replaceAll(/['\\]/g, '\\$&'), '\n', escapeBytes)}'`
}

/** Writes a character as escapes of its bytes in UTF-8. The old bash of macOS has no escapes for whole characters. */
function escapeBytes(character: string): string {
  const bytes = [...new TextEncoder().encode(character)]
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
