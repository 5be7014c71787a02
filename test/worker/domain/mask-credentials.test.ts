import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { maskCredentials } from '../../../src/domain/mask-credentials.ts'
import { eachRow } from '../../support/each-row.ts'
import { ENCODINGS, type Kind, makeCredentials, reveals, secretIn } from '../../support/encoded-credentials.ts'
import { aText } from '../../support/texts.ts'

let credentials: Record<Kind, string>

beforeAll(async () => {
  credentials = await makeCredentials()
})

/** What stands directly before a credential, and directly after it. */
const BEFORE = [...' "\'=:,;&?#/[({<>%\n\t|.', 'é', '\\n', '%22', '\u2028']
const AFTER = [...' "\')}>&;,\n|', 'é', '%22', '%26', '&quot;']

describe.each<Kind>(['API key', 'JWT', 'secret', 'signing secret', 'Basic', 'Bearer'])('a credential: %s', (kind) => {
  it('is found in every encoding, in any text, and nothing else changes its place', () =>
    eachRow(Object.keys(ENCODINGS), (encoding) => {
      const credential = credentials[kind]
      const encoded = ENCODINGS[encoding]?.(credential) ?? ''
      // Text without letters, so that by itself it is neither base64 nor a scheme.
      const around = aText.map((text) => text.replaceAll(/[\w+/=-]|\\/g, '~'))
      fc.assert(
        fc.property(
          around,
          fc.constantFrom(...BEFORE),
          fc.constantFrom(...AFTER),
          around,
          (start, before, after, end) => {
            const head = `${start}${before}`
            const tail = `${after}${end}`
            const masked = maskCredentials(head + encoded + tail)
            expect(masked).toHaveLength(head.length + encoded.length + tail.length)
            expect(reveals(masked, secretIn(credential))).toBe(false)
            expect([masked.slice(0, start.length), masked.slice(-end.length || masked.length)]).toEqual([start, end])
            const inside = masked.slice(head.length, head.length + encoded.length)
            expect([...inside].every((one, at) => one === '*' || one === encoded[at])).toBe(true)
          },
        ),
        { numRuns: 5 },
      )
    }))
})

it('only the bytes of the credential are masked', () => {
  const { 'API key': key, Basic: basic, Bearer: bearer, secret } = credentials
  const stars = (text: string) => '*'.repeat(text.length)
  // Four digits are three bytes, so a digit can belong to the key and to what follows.
  const inBase64 = btoa(`abc${key} de`)
  for (const [text, masked] of [
    [`color=blue&api_key=${key}&x=1`, `color=blue&api_key=${stars(key)}&x=1`],
    [`{"auth":"${basic}","n":1}`, `{"auth":"Basic ${stars(secretIn(basic))}","n":1}`],
    [`auth=BEARER+${secretIn(bearer)}`, `auth=BEARER+${stars(secretIn(bearer))}`],
    [`a%20%67lx_${key.slice(4)}%20b`, `a%20${stars(`%67lx_${key.slice(4)}`)}%20b`],
    [`/${secret}/x`, `/${stars(secret)}/x`],
    [`"\0${[...key].join('\0')}\0"\0`, `"\0${[...stars(key)].join('\0')}\0"\0`],
    [inBase64, `${inBase64.slice(0, 4)}${'*'.repeat(70)}${inBase64.slice(74)}`],
  ] as const)
    expect([text.length, maskCredentials(text)]).toEqual([masked.length, masked])
})

it('a credential in quoted-printable is masked, with its line breaks', () =>
  eachRow<Kind>(['API key', 'JWT', 'secret', 'signing secret', 'Basic', 'Bearer'], (kind) => {
    const secret = secretIn(credentials[kind])
    const start = credentials[kind].slice(0, -secret.length)
    const head = 'Content-Transfer-Encoding: quoted-printable\r\n\r\n'
    const lines = (secret.match(/.{1,10}/g) ?? []).map((line) => line.replaceAll('=', '=3D').replace('e', '=65'))
    const broken = lines.join('=\r\n')
    const masked = maskCredentials(`${head}${start}${broken}\r\nblue`)
    expect(masked.startsWith(head) && masked.endsWith('\r\nblue')).toBe(true)
    const shown = masked.slice(head.length + start.length, -'\r\nblue'.length)
    expect([shown.length, shown.replaceAll(/\*|=?\r\n/g, '')]).toEqual([broken.length, ''])
  }))

it('a key that was cut is masked as far as it goes', () => {
  for (let length = 5; length < 52; length++)
    expect(maskCredentials(credentials['API key'].slice(0, length))).toBe('*'.repeat(length))
})

it('what is no credential stays: the forms of all cases, long words, digests, ids, boundaries', async () => {
  const response = await env.ASSETS.fetch('http://assets/documents/lab/cases.json')
  const { cases } = await response.json<{ cases: { wire: string | null }[] }>()
  const texts = [
    ...cases.flatMap(({ wire }) => wire ?? []),
    'a'.repeat(3000),
    'Ab'.repeat(300),
    '0123456789abcdef'.repeat(4),
    crypto.randomUUID(),
    'k3v7q2m5x4b6n7p2r5t6w3y4',
    'the basics, a bearer, glx, eyJ and whsec',
    '------WebKitFormBoundary7MA4YWxkTrZu0gW--',
    '----------------------------4a7B9cD2eF1gH3iJ5kL7mN--',
    btoa(Array.from({ length: 48 }, (_, code) => String.fromCharCode(code)).join('')),
    'Ünïcödé 🪐 and \u0000',
  ]
  for (const text of texts) expect(maskCredentials(text)).toBe(text)
})

/** The time for one text of 256 KiB. With quadratic time, it is many minutes. */
const LIMIT_MS = 5000

const BEGINNINGS = ['bearer ', '&#x', 'eyJ', '\\', 'glx_']

it.each(
  [
    ...['x', 'aB', 'glx_', 'whsec_', 'eyJ', 'eyJa', 'eyJ.', 'bearer ', 'bearer', 'basic+', '%41', '%25', '%2', '\\'],
    ...['\\u00', '&#', '&#x0', '&#0', '-', '---a', '\0', 'a\0', '=', 'QUJD', '\n', 'a.', '. ', 'bearer a='],
  ]
    .entries()
    .toArray(),
)('%i: %j takes linear time', (index, attack) => {
  for (const beginning of ['', BEGINNINGS[index % BEGINNINGS.length]]) {
    const text = beginning + attack.repeat(Math.ceil(262_144 / attack.length))
    const start = performance.now()
    expect(maskCredentials(text)).toHaveLength(text.length)
    expect(performance.now() - start).toBeLessThan(LIMIT_MS)
  }
})
