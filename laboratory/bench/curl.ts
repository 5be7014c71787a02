import { type BenchRequest, bodyBytesOf, headerOf, readBytes } from './request.ts'

// A request to a case as a command for a POSIX shell, also in browsers.

/** How curl gets a body. `input` writes what curl reads from its standard input. */
export interface CurlBody {
  input: string
  options: readonly string[]
}

/**
 * A command with curl that sends a request as it is.
 *
 * @param url A word of the shell
 * @param special Options before all others, and a body that is sent in place of that of the request
 */
export function writeCurl(
  request: BenchRequest,
  url: string,
  { options = [], body = bodyOf(request) }: { options?: readonly string[]; body?: CurlBody } = {},
): string {
  const { method, headers } = request
  const hasBody = body.options.length > 0
  const words = [
    'curl',
    ...options,
    ...(method === (hasBody ? 'POST' : 'GET') ? [] : [method === 'HEAD' ? '-I' : `-X ${quote(method)}`]),
    ...(/[[\]{}]/.test(request.target) ? ['-g'] : []),
    ...(/\/\.\.?(?:[/?]|$)/.test(request.target) ? ['--path-as-is'] : []),
    url,
    ...headers.map(writeHeader),
    ...body.options,
  ]
  return body.input + words.join(' ')
}

/** A word of a POSIX shell, in quotes if it needs them. */
export function quote(text: string): string {
  return /^[A-Z]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** @param bytes In base64 */
export function pipeBytes(bytes: string): string {
  return `echo ${quote(bytes)} | base64 -d | `
}

/** curl sends a header with an empty value only if a semicolon follows the name. */
function writeHeader([name, value]: readonly [string, string]): string {
  const bytes = readBytes(value)
  if (bytes.length === 0) return `-H ${quote(`${name};`)}`
  const text = textOf(bytes)
  return text !== undefined && !HIDDEN.test(text)
    ? `-H ${quote(`${name}: ${text}`)}`
    : `-H "$(printf ${quote(formatOf(`${name}: `, bytes))})"`
}

function bodyOf(request: BenchRequest): CurlBody {
  const bytes = bodyBytesOf(request)
  if (bytes.length === 0) return { input: '', options: [] }
  const untyped = headerOf(request, 'Content-Type') === undefined ? ["-H 'Content-Type:'"] : []
  const text = textOf(bytes)
  const piped = [...untyped, '--data-binary @-']
  if (text === undefined || text.includes('\0')) return { input: pipeBytes(toBase64(bytes)), options: piped }
  if (HIDDEN.test(text)) return { input: `printf ${quote(formatOf('', bytes))} | `, options: piped }
  return { input: '', options: [...untyped, `${text.startsWith('@') ? '--data-raw' : '-d'} ${quote(text)}`] }
}

/** What a copy from a page may lose. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const NAMES: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '%': '%%', '\\': '\\\\' }

/**
 * A format of `printf`, in which bytes beyond ASCII and control characters are octal, and so is a hyphen at the beginning,
 * which would begin an option.
 */
function formatOf(before: string, bytes: Uint8Array): string {
  const characters = Array.from(bytes, (byte) => {
    const one = String.fromCharCode(byte)
    return NAMES[one] ?? (byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, '0')}` : one)
  })
  return (before + characters.join('')).replace(/^-/, '\\055')
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
