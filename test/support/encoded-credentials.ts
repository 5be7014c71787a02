import { makeApiKey } from '../../src/auth/api-key.ts'
import { makeSecret } from '../../src/auth/secrets.ts'
import { makeSigningSecret } from '../../src/domain/webhook-keys.ts'
import { createAccount, createClient } from './app.ts'

// The credentials of the service, in the encodings in which a client may send them, and a search for them.

export type Kind = 'API key' | 'JWT' | 'secret' | 'signing secret' | 'Basic' | 'Bearer'

/** One of each kind, made by the service itself. The last two begin with their schemes, which are not secret. */
export async function makeCredentials(): Promise<Record<Kind, string>> {
  const { token } = await createAccount(createClient())
  return {
    'API key': (await makeApiKey()).key,
    JWT: token,
    secret: makeSecret(),
    'signing secret': makeSigningSecret(),
    Basic: `Basic ${btoa('ada@example.com:correct horse')}`,
    Bearer: 'bearer mF_9.B5f-4.1JqM~x+y/z==',
  }
}

/** What of a credential is secret. */
export const secretIn = (credential: string): string => credential.replace(/^(?:basic|bearer) /i, '')

const each = (text: string, write: (hex: string) => string) =>
  [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, '0'))).join('')
/** Letters too, so that no prefix can be seen. */
const percent = (text: string) => each(text, (hex) => `%${hex}`)

/** How a client may write a text: in a URL, JSON, XML, and in base64 at any place. */
export const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, letters too': percent,
  'percent-encoded, every second letter': (text) => text.replaceAll(/([\s\S])([\s\S]?)/g, (_, a, b) => percent(a) + b),
  'percent-encoded twice': (text) => encodeURIComponent(percent(text)),
  'as in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'escaped in JSON': (text) => each(text, (hex) => `\\u00${hex}`),
  'with slashes escaped': (text) => text.replaceAll('/', '\\/'),
  'in JSON in JSON': (text) => JSON.stringify(JSON.stringify(text).replaceAll('/', '\\/')),
  'escaped in XML': (text) => each(text, (hex) => `&#x${hex};`),
  'escaped in XML, in decimal': (text) => each(text, (hex) => `&#${Number.parseInt(hex, 16)};`),
  'in UTF-16': (text) => each(text, (hex) => `${String.fromCharCode(Number.parseInt(hex, 16))}\0`),
  'in base64': (text) => btoa(text),
  'in base64, after one byte': (text) => btoa(`{${text}}`),
  'in base64, after two bytes': (text) => btoa(`["${text}"]`),
  'in base64url': (text) => btoa(`?=${text}&x`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  'in base64, in lines': (text) => btoa(`key: ${text}\n`).replaceAll(/.{20}/g, '$&\r\n'),
  'in base64, percent-encoded': (text) => percent(btoa(`a:${text};b`)),
  'percent-encoded, in base64': (text) => btoa(percent(text)),
}

/** Characters of a secret that nobody sends by chance. */
const PIECE = 8

/** Whether a secret, or a piece of it, is in a text or in what the text encodes. */
export function reveals(text: string, secret: string): boolean {
  const length = Math.min(PIECE, secret.length)
  const pieces = new Set(Array.from({ length: secret.length - length + 1 }, (_, at) => secret.slice(at, at + length)))
  const plain = unescapeAll(text)
  const decoded = [text, ...plain].flatMap(fromBase64).flatMap((view) => [view, ...unescapeAll(view)])
  return [text, ...plain, ...decoded].some((view) => {
    for (let at = 0; at + length <= view.length; at++) if (pieces.has(view.slice(at, at + length))) return true
    return false
  })
}

/** A text without escapes, after each of two steps. */
function unescapeAll(text: string): string[] {
  const once = withoutEscapes(text)
  const twice = withoutEscapes(once)
  return [...new Set([once, twice])].filter((view) => view !== text)
}

function withoutEscapes(text: string): string {
  return text
    .replaceAll(/%([\da-f]{2})|\\+u00([\da-f]{2})|&#x([\da-f]{2});/gi, (_, a, b, c) =>
      String.fromCharCode(Number.parseInt(a ?? b ?? c, 16)),
    )
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replaceAll('\0', '')
    .replaceAll(/\\+\//g, '/')
}

/** What the words of a text are in base64, from each of the four places at which a group can begin. */
function fromBase64(text: string): string[] {
  const words = text.replaceAll(/\\r|\\n|[\r\n]/g, '').match(/[\w+/-]{8,}/g) ?? []
  return [0, 1, 2, 3].map((skipped) =>
    words
      .map((word) => {
        const digits = word.slice(skipped).replaceAll('-', '+').replaceAll('_', '/')
        // One digit alone is no byte.
        return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits)
      })
      .join('\n'),
  )
}
