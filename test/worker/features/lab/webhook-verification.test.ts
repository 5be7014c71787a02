import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { bodyOf, createClient } from '../../../support/app.ts'
import { eachRow } from '../../../support/each-row.ts'
import { dumpDatabase } from '../callbacks/support.ts'

// What POST /lab/webhooks/verify says about a message. The signatures are made here, without the code of the service.

const SECRET = 'whsec_8NLSbDYphcTJexc/BTlwPg8fDtbGpB7j8/6IqBKriHY='
const PUBLIC_KEY = 'whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg='
const ID = 'msg_planetCreated_5f1d7a3c9b0e4f628d1c7b5a3e9f0d24'
const TIME = '1768487400'
const AT = '2026-01-15T14:30:00Z'
const BODY = '{"id":5403,"name":"Arrakis"}'
const SIGNATURE = 'v1,LNaLSTKpmuG4fnr5EOxg6Jb9FvC5eQip4ZomTRoQRNQ='
const BASE64 = SIGNATURE.slice(3)

const client = createClient()
const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text))
const verify = (input: object) => client.sendJson('POST', '/lab/webhooks/verify', input)

interface Sent {
  headers?: Record<string, string>
  signature?: string
  [member: string]: unknown
}

const messageOf = ({ headers, signature = SIGNATURE, ...members }: Sent = {}) => ({
  headers: { 'webhook-id': ID, 'webhook-timestamp': TIME, 'webhook-signature': signature, ...headers },
  body: BODY,
  at: AT,
  ...(members.publicKey === undefined && { secret: SECRET }),
  ...members,
})

/** The codes of the findings about a message. */
async function codesOf(sent: Sent = {}): Promise<string[]> {
  const response = await verify(messageOf(sent))
  expect(response.status).toBe(200)
  const { valid, findings } = await bodyOf(response)
  expect(valid).toBe(findings.length === 0)
  return findings.map(({ code }: { code: string }) => code)
}

async function hmac(key: Uint8Array<ArrayBuffer>, content: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const cryptoKey = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', cryptoKey, encode(content)))
}

const KEY = Uint8Array.fromBase64(SECRET.slice(6))
const sign = async (content: string, key = KEY) => `v1,${(await hmac(key, content)).toBase64()}`

/** The private key of `PUBLIC_KEY`: the published seed, in the form that Web Crypto takes. */
const PRIVATE_KEY = await crypto.subtle.importKey(
  'pkcs8',
  Uint8Array.fromHex(
    `302e020100300506032b657004220420${Array.from({ length: 32 }, (_, n) => n.toString(16).padStart(2, '0')).join('')}`,
  ),
  'Ed25519',
  false,
  ['sign'],
)
const signEd25519 = async (content: string) =>
  new Uint8Array(await crypto.subtle.sign('Ed25519', PRIVATE_KEY, encode(content)))

describe('a valid message', () => {
  it('has no findings, in whatever case and among whatever headers it was pasted', async () => {
    await eachRow(
      [
        {},
        { secret: SECRET.slice(6) },
        { body: encode(BODY).toBase64(), encoding: 'base64' },
        { encoding: 'text' },
        { headers: { Authorization: 'Bearer x', 'Content-Type': 'application/json', 'WEBHOOK-OTHER': '' } },
        { signature: `v1,AAAA v2,AAAA ${SIGNATURE}` },
        { headers: { 'webhook-id': ` ${ID} ` } },
      ],
      async (sent) => expect(await codesOf(sent)).toEqual([]),
    )
    const upper = { 'Webhook-Id': ID, 'WEBHOOK-TIMESTAMP': TIME, 'Webhook-Signature': SIGNATURE }
    const response = await verify({ headers: upper, body: BODY, secret: SECRET, at: AT })
    expect(await bodyOf(response)).toEqual({ valid: true, findings: [] })
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  it('may be signed with Ed25519', async () => {
    const signature = `v1a,${(await signEd25519(`${ID}.${TIME}.${BODY}`)).toBase64()}`
    expect(await codesOf({ publicKey: PUBLIC_KEY, signature })).toEqual([])
    expect(await codesOf({ publicKey: PUBLIC_KEY, signature: `v1,AAAA ${signature}` })).toEqual([])
    expect(await codesOf({ publicKey: PUBLIC_KEY, signature, body: `${BODY}.` })).toEqual(['other-secret'])
  })

  it('is verified at the time of the request, if it names no other', async () => {
    const now = new Date(Number(TIME) * 1000)
    const other = createClient({ now: () => now })
    const { at: _, ...message } = messageOf()
    const response = await other.sendJson('POST', '/lab/webhooks/verify', message)
    expect(await bodyOf(response)).toMatchObject({ valid: true })
  })

  it('may have the right signature among the first ten', async () => {
    const wrong = Array.from({ length: 9 }, (_, index) => `v1,${index}AAA`).join(' ')
    expect(await codesOf({ signature: `${wrong} ${SIGNATURE}` })).toEqual([])
    expect(await codesOf({ signature: `${wrong} v1,AAAA ${SIGNATURE}` })).toEqual(['other-secret'])
  })
})

describe('what is wrong is found', () => {
  it('in headers and times', async () => {
    const at = (seconds: number) => new Date((Number(TIME) + seconds) * 1000).toISOString()
    const time = async (timestamp: string) => ({
      headers: { 'webhook-timestamp': timestamp },
      signature: await sign(`${ID}.${timestamp}.${BODY}`),
    })
    await eachRow<[Sent, string[]]>(
      [
        [{ headers: { 'webhook-id': '' } }, ['missing-header']],
        [{ headers: { 'webhook-id': ' ', 'webhook-timestamp': '' } }, ['missing-header', 'missing-header']],
        [{ headers: { 'webhook-id': '', 'webhook-timestamp': '12' } }, ['missing-header', 'stale']],
        [{ signature: '' }, ['missing-header']],
        [{ at: at(300) }, []],
        [{ at: at(300.001) }, ['stale']],
        [{ at: at(-300) }, []],
        [{ at: at(-300.001) }, ['future']],
        [{ at: at(301), body: '{}' }, ['stale', 'other-secret']],
        [await time(`${TIME}000`), ['milliseconds']],
        [await time(`${TIME}.0`), ['timestamp-form']],
        [await time(`0${TIME}`), ['timestamp-form']],
        [await time('1000000000000000'), ['timestamp-form']],
        [await time('2026-01-15T14:30:00Z'), ['timestamp-form']],
        [await time('999999999999'), ['future']],
      ],
      async ([sent, codes]) => expect(await codesOf(sent)).toEqual(codes),
    )
    const { findings } = await bodyOf(await verify(messageOf({ headers: { 'webhook-timestamp': '' } })))
    expect(findings).toEqual([{ code: 'missing-header', detail: 'The header webhook-timestamp is absent or empty.' }])
  })

  it('in signatures', async () => {
    const right = Uint8Array.fromBase64(BASE64)
    const content = `${ID}.${TIME}.`
    const rewritten = '{ "b": 1.0,\n "a": "\\u00e9" }'
    await eachRow<[Sent, string[]]>(
      [
        [{ signature: `v1,${right.toHex()}` }, ['hex']],
        [{ signature: `v1,${right.toHex().toUpperCase()}` }, ['hex']],
        [{ signature: `v1,${BASE64.replace('=', '')}` }, ['base64url']],
        [{ signature: `v1,${right.toBase64({ alphabet: 'base64url' })}`, body: BODY }, []],
        [{ signature: await sign(`${content}${BODY}`, encode(SECRET)) }, ['key-not-decoded']],
        [{ signature: await sign(`${content}${BODY}`, encode(SECRET.slice(6))) }, ['key-not-decoded']],
        [{ signature: await sign(`${content}${BODY}`, encode(SECRET)), secret: SECRET.slice(6) }, ['key-not-decoded']],
        [{ signature: await sign(`${TIME}.${BODY}`) }, ['id-unsigned']],
        [{ signature: await sign(`${ID}.${BODY}`) }, ['time-unsigned']],
        [{ signature: await sign(BODY) }, ['id-unsigned', 'time-unsigned']],
        [{ signature: await sign(`${content}${BODY}\n`) }, ['newline']],
        [{ signature: await sign(`${content}${BODY}\r\n`) }, ['newline']],
        [{ body: `${BODY}\n` }, ['newline']],
        [{ body: `${BODY}\r\n` }, ['newline']],
        [{ body: 'text\n\n', signature: await sign(`${content}text`) }, ['other-secret']],
        [{ body: rewritten, signature: await sign(`${content}{"b":1,"a":"é"}`) }, ['body-rewritten']],
        [{ body: rewritten, signature: await sign(`${content}{\n  "b": 1,\n  "a": "é"\n}`) }, ['body-rewritten']],
        [
          { body: rewritten, signature: await sign(`${content}{\n  "b": 1,\n  "a": "é"\n}\n`) },
          ['newline', 'body-rewritten'],
        ],
        [{ signature: `v1,${BASE64.slice(0, 8)}` }, ['truncated']],
        [{ signature: `v1,${BASE64.slice(0, 42)}` }, ['truncated']],
        [{ signature: `v1,${BASE64.slice(0, 7)}` }, ['other-secret']],
        [{ signature: `v2,${BASE64}` }, ['unknown-version']],
        [{ signature: `v1a,${BASE64}` }, ['unknown-version']],
        [{ signature: BASE64 }, ['no-version']],
        [{ signature: `v1a,${'A'.repeat(86)}== v1a,AAAA` }, ['wrong-scheme']],
        [{ signature: `v1a,${'A'.repeat(86)}== v2,AAAA` }, ['other-secret']],
        [{ publicKey: PUBLIC_KEY }, ['wrong-scheme']],
        [{ secret: `whsec_${'A'.repeat(43)}=` }, ['other-secret']],
        // The smallest set counts, of any of the signatures.
        [{ signature: `${await sign(BODY)} v1,${right.toHex()}` }, ['hex']],
        [{ signature: `${await sign(`${content}${BODY}\n`)} ${await sign(`${TIME}.${BODY}`)}` }, ['id-unsigned']],
      ],
      async ([sent, codes]) => expect(await codesOf(sent)).toEqual(codes),
    )
  })

  it('in signatures of Ed25519', async () => {
    const [id, time] = [`${ID}.`, `${TIME}.`]
    const write = (bytes: Uint8Array) => `v1a,${bytes.toBase64()}`
    const right = await signEd25519(`${id}${time}${BODY}`)
    await eachRow<[string, string[]]>(
      [
        [`v1a,${right.toHex()}`, ['hex']],
        [`v1a,${right.toBase64({ omitPadding: true })}`, ['base64url']],
        [write(await signEd25519(`${time}${BODY}`)), ['id-unsigned']],
        [write(await signEd25519(`${BODY}\n`)), ['id-unsigned', 'time-unsigned', 'newline']],
        [`v1,${right.toBase64()}`, ['unknown-version']],
        [right.toBase64(), ['no-version']],
        [write(right).slice(0, 40), ['other-secret']],
      ],
      async ([signature, codes]) => expect(await codesOf({ publicKey: PUBLIC_KEY, signature })).toEqual(codes),
    )
  })
})

describe('any combination of mistakes', () => {
  const aJson = fc.jsonValue({ maxDepth: 3 }).filter((value) => typeof value === 'object' && value !== null)
  const MISTAKES = ['key-not-decoded', 'id-unsigned', 'time-unsigned', 'newline', 'body-rewritten'] as const
  const aMistake = fc.record({
    value: aJson,
    written: fc.constantFrom('right', 'hex', 'base64url'),
    mistakes: fc.subarray([...MISTAKES]),
    hasLf: fc.boolean(),
    isPretty: fc.boolean(),
  })

  it('is explained by these mistakes, or by fewer', async () => {
    await fc.assert(
      fc.asyncProperty(aMistake, async ({ value, written, mistakes, hasLf, isPretty }) => {
        // What nobody writes again like this.
        const body = `${JSON.stringify({ value }, null, 7)}${hasLf ? '\n' : ''}`
        const has = (mistake: (typeof MISTAKES)[number]) => mistakes.includes(mistake)
        const rewritten = JSON.stringify({ value }, null, isPretty ? 2 : 0)
        const based = has('body-rewritten') ? rewritten : body
        const changed = based.endsWith('\n') ? based.slice(0, -1) : `${based}\n`
        const content = [
          has('id-unsigned') ? '' : `${ID}.`,
          has('time-unsigned') ? '' : `${TIME}.`,
          has('newline') ? changed : based,
        ].join('')
        const bytes = await hmac(has('key-not-decoded') ? encode(SECRET) : KEY, content)
        const texts = {
          right: bytes.toBase64(),
          hex: bytes.toHex(),
          base64url: bytes.toBase64({ alphabet: 'base64url', omitPadding: true }),
        }
        const codes = await codesOf({ body, signature: `v1,${texts[written]}` })
        expect(codes).toEqual([...(written === 'right' ? [] : [written]), ...mistakes])
      }),
      { numRuns: 60 },
    )
  })
})

describe('a request is refused', () => {
  const pointersOf = async (input: object) => {
    const response = await verify(input)
    expect(response.status).toBe(400)
    return (await bodyOf(response)).errors.map(({ pointer }: { pointer: string }) => pointer)
  }

  it('if a member is missing, unknown or wrong, with its pointer', async () => {
    const { headers: _headers, ...withoutHeaders } = messageOf()
    const { secret: _secret, ...withoutKey } = messageOf()
    await eachRow<[object, string[]]>(
      [
        [withoutHeaders, ['/headers']],
        [withoutKey, ['/secret']],
        [{ ...messageOf(), publicKey: PUBLIC_KEY }, ['/publicKey']],
        [messageOf({ secret: 'whsec_' }), ['/secret']],
        [messageOf({ secret: 'not base64!' }), ['/secret']],
        [messageOf({ publicKey: 'whpk_AAAA' }), ['/publicKey']],
        [messageOf({ publicKey: PUBLIC_KEY.slice(5) }), ['/publicKey']],
        [messageOf({ at: '2026-01-15' }), ['/at']],
        [messageOf({ at: 1768487400 }), ['/at']],
        [messageOf({ body: {} }), ['/body']],
        [messageOf({ encoding: 'hex' }), ['/encoding']],
        [messageOf({ encoding: 'base64', body: 'A' }), ['/body']],
        [messageOf({ extra: 1 }), ['/extra']],
        [messageOf({ headers: { 'Webhook-ID': 'other' } }), ['/headers']],
        [{ ...messageOf(), headers: { 'webhook-id': 1 } }, ['/headers']],
      ],
      async ([input, pointers]) => expect(await pointersOf(input)).toEqual(pointers),
    )
  })

  it('if the headers have more than 8 KiB in all, or the request more than 256 KiB', async () => {
    const used = Object.entries(messageOf().headers).join('').replaceAll(',', '').length + 1
    const withHeader = (bytes: number) => messageOf({ headers: { x: 'x'.repeat(bytes - 1 - used) } })
    expect((await verify(withHeader(8192))).status).toBe(200)
    expect(await pointersOf(withHeader(8193))).toEqual(['/headers'])
    const rest = JSON.stringify(messageOf({ body: '' })).length
    expect((await verify(messageOf({ body: 'x'.repeat(256 * 1024 - rest) }))).status).toBe(200)
    expect((await verify(messageOf({ body: 'x'.repeat(256 * 1024 - rest + 1) }))).status).toBe(413)
  })

  it('without repeating anything of it, in the answer, in the log or in the database', async () => {
    const lines = vi.spyOn(console, 'log')
    const mark = 'c3VwZXJzZWNyZXQtbWFyaw'
    const inputs = [
      messageOf({ secret: `${mark}!` }),
      messageOf({ publicKey: mark }),
      messageOf({ encoding: mark }),
      messageOf({ at: mark }),
      messageOf({ [mark]: 1 }),
      messageOf({ headers: { [mark]: '\0' } }),
      messageOf({ headers: { [`${mark}\0`]: 'x' } }),
      { ...messageOf(), headers: { [mark]: 1 } },
      messageOf({ body: `${mark}\0` }),
      messageOf({ body: mark, secret: `whsec_${mark}`, signature: `v1,${mark} ${mark}`, headers: { [mark]: mark } }),
    ]
    const answers = await Promise.all(inputs.map(async (input) => await (await verify(input)).text()))
    const broken = await client.sendJson('POST', '/lab/webhooks/verify', `{"secret":"${mark}" "`)
    const all = [...answers, await broken.text(), ...lines.mock.calls.map(String), await dumpDatabase()]
    expect(all.filter((text) => text.includes(mark))).toEqual([])
    lines.mockRestore()
  })
})

describe('the work is bounded', () => {
  it('for each address: beyond 600 requests in a minute, they are 429', async () => {
    const counts = new Map<string, number>()
    const sharedWriteLimiter = {
      limit: async ({ key }: { key: string }) => {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return { success: (counts.get(key) ?? 0) <= 2 }
      },
    }
    const limited = createClient({ sharedWriteLimiter, config: { limitsWrites: true } })
    const verifyFrom = async (address: string) =>
      await limited.send('/lab/webhooks/verify', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address },
        body: JSON.stringify(messageOf()),
      })
    const statuses: number[] = []
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) statuses.push((await verifyFrom(address)).status)
    const refused = await verifyFrom('192.0.2.1')
    expect([...statuses, refused.status]).toEqual([200, 200, 200, 429])
    expect(refused.headers.get('Retry-After')).toBe('60')
    expect((await bodyOf(refused)).detail).toContain('600 writes per minute')
    // The recordings of the laboratory are counted with them.
    expect([...counts.keys()]).toEqual(['lab-address/192.0.2.1', 'lab-address/192.0.2.2'])
  })

  it('for JSON that is up to 512 KiB long when it is written again', async () => {
    // 5 bytes of the request become 22 characters.
    const numbers = 23_830
    const written = (padding: number) =>
      [`["${'x'.repeat(padding)}"`, ...Array(numbers).fill(`1${'0'.repeat(20)}`)].join()
    const codesFor = async (padding: number) => {
      const rewritten = `${written(padding)}]`
      const body = rewritten.replaceAll('0'.repeat(20), 'e20')
      return [rewritten.length, await codesOf({ body, signature: await sign(`${ID}.${TIME}.${rewritten}`) })]
    }
    expect(await codesFor(24)).toEqual([512 * 1024, ['body-rewritten']])
    expect(await codesFor(25)).toEqual([512 * 1024 + 1, ['other-secret']])
  })

  it('for JSON of very many levels, which indentation would make very long', async () => {
    const deep = `${'['.repeat(4000)}${Array(20_000).fill('[]').join(',')}${']'.repeat(4000)}`
    expect(await codesOf({ body: deep })).toEqual(['other-secret'])
    expect(await codesOf({ body: '['.repeat(200_000) })).toEqual(['other-secret'])
    const compact = await sign(`${ID}.${TIME}.${deep}`)
    expect(await codesOf({ body: ` ${deep}`, signature: compact })).toEqual(['body-rewritten'])
  })

  it('for ten signatures of a body that nearly fills the request', async () => {
    const body = JSON.stringify({ a: Array(60_000).fill(1) }).padEnd(250_000)
    const signatures = Array.from({ length: 20 }, () => {
      // A number that is not too large, so that the signature is not refused before the body is read.
      const bytes = crypto.getRandomValues(new Uint8Array(64))
      bytes[63] = 0
      return `v1a,${bytes.toBase64()}`
    })
    expect(await codesOf({ publicKey: PUBLIC_KEY, body, signature: signatures.join(' ') })).toEqual(['other-secret'])
  })
})
