import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/env.ts'
import { NO_LIMITS } from '../support/app.ts'
import { eachRow } from '../support/each-row.ts'

/** A key of a given number of bytes, in the format of DATA_KEY. */
function keyOf(bytes: number): string {
  return new Uint8Array(bytes).fill(0xff).toBase64()
}

const KEY = keyOf(32)

describe('the configuration', () => {
  it('of wrangler.toml lets the service start', () => {
    expect(parseConfig(env)).toMatchObject({
      publicUrl: undefined,
      echoHost: undefined,
      imageHost: undefined,
      ownAddresses: [],
      closedHosts: [],
      reportContact: undefined,
      signupOpen: true,
      signupsPerHour: 30,
      passwordAttempts: 10,
      passwordWindowSeconds: 60,
      demoControls: true,
      universesOn: true,
      universeHost: undefined,
      universesPerHour: 20,
      inboxLimit: { perHour: 10, countsPer: 'address' },
      deviceCodesPerHour: 60,
      deviceCodeSeconds: 600,
      limitsWrites: true,
      legacyFlows: false,
      foreignIssuers: [],
      allowsPrivateTargets: false,
      // 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h: the schedule of Standard Webhooks.
      retrySeconds: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
      retentionHours: 168,
      visitorRetentionHours: undefined,
      accountLimits: { bodies: 1000, bodyBytes: 20_000_000, images: 100, imageBytes: 100_000_000, deliveries: 10_000 },
    })
  })

  it('with a value that is not possible is rejected with the name of the variable, and without its value', () =>
    eachRow(
      [
        ['SIGNUP', 'maybe'],
        ['SIGNUP', undefined],
        ['TOKEN_RATE_LIMIT', '0'],
        ['TOKEN_RATE_LIMIT', 'ten'],
        ['INBOX_RATE_LIMIT', '0'],
        ['INBOX_RATE_LIMIT', undefined],
        ['DEVICE_RATE_LIMIT', '0'],
        ['DEVICE_RATE_LIMIT', undefined],
        ['DEVICE_CODE_SECONDS', '0'],
        ['DEVICE_CODE_SECONDS', undefined],
        ['TOKEN_RATE_WINDOW', '-1'],
        ['SIGNUP_RATE_LIMIT', ''],
        ['PASSWORD_ITERATIONS', '1e3'],
        ['DEMO_CONTROLS', 'yes'],
        ['LOG_REQUESTS', 'true'],
        ['LOG_REQUESTS', undefined],
        ['WRITE_RATE_LIMIT', '600'],
        ['WRITE_RATE_LIMIT', undefined],
        ['SEARCH_RATE_LIMIT', '120'],
        ['SEARCH_RATE_LIMIT', undefined],
        ['OAUTH_LEGACY_FLOWS', 'ON'],
        ['OAUTH_LEGACY_FLOWS', undefined],
        ['OIDC_ISSUERS', undefined],
        ['OIDC_ISSUERS', 'https://idp.example'],
        ['OIDC_ISSUERS', 'https://idp.example|'],
        ['OIDC_ISSUERS', '|galaxy'],
        ['OIDC_ISSUERS', 'idp.example|galaxy'],
        ['OIDC_ISSUERS', 'ftp://idp.example|galaxy'],
        ['OIDC_ISSUERS', 'https://idp.example?tenant=1|galaxy'],
        ['OIDC_ISSUERS', 'https://idp.example#here|galaxy'],
        ['OIDC_ISSUERS', 'https://|galaxy'],
        ['OIDC_ISSUERS', 'https://idp.example|galaxy|more'],
        ['OIDC_ISSUERS', 'https://idp.example|galaxy,https://other.example'],
        ['PUBLIC_URL', 'galaxy.example'],
        ['ECHO_HOST', undefined],
        ['ECHO_HOST', 'https://echo.example'],
        ['ECHO_HOST', 'echo.example/echo'],
        ['ECHO_HOST', 'a@echo.example'],
        ['ECHO_HOST', 'echo.example:port'],
        ['ECHO_HOST', 'echo.example?a'],
        ['PUBLIC_URL', 'ftp://galaxy.example'],
        ['UNIVERSE_HOST', undefined],
        ['UNIVERSE_HOST', 'https://worlds.example'],
        ['UNIVERSE_HOST', '*.worlds.example'],
        ['UNIVERSE_HOST', '.worlds.example'],
        ['UNIVERSE_HOST', 'worlds.example/u'],
        ['UNIVERSE_HOST', '192.168.1.5:8787'],
        ['UNIVERSE_HOST', '[::1]:8787'],
        ['OWN_ADDRESSES', undefined],
        ['OWN_ADDRESSES', 'http://localhost:8787'],
        ['OWN_ADDRESSES', 'localhost:8787,'],
        ['OWN_ADDRESSES', 'localhost:8787,galaxy.example/a'],
        ['IMAGE_HOST', undefined],
        ['IMAGE_HOST', 'https://images.example'],
        ['IMAGE_HOST', 'images.example/images'],
        ['SEED', undefined],
        ['SEED', 'a b'],
        ['SEED', 'a'.repeat(65)],
        ['REPORT_CONTACT', undefined],
        ['REPORT_CONTACT', 'abuse@galaxy.example'],
        ['REPORT_CONTACT', 'mailto:'],
        ['REPORT_CONTACT', 'mailto:abuse'],
        ['REPORT_CONTACT', 'https:'],
        ['REPORT_CONTACT', 'http://galaxy.example/report'],
        ['REPORT_CONTACT', 'tel:+123'],
        ['SIGNING_KEYS', undefined],
        ['SIGNING_KEYS', 'secret!'],
        ['SIGNING_KEYS', '{"keys":[]}'],
        ['SIGNING_KEYS', '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}'],
        ['CALLBACK_ALLOW_PRIVATE', 'yes'],
        ['CALLBACK_ALLOW_PRIVATE', 'ON'],
        ['CALLBACK_ALLOW_PRIVATE', ''],
        ['CALLBACK_ALLOW_PRIVATE', undefined],
        ['CALLBACK_RETRY_SECONDS', undefined],
        ['CALLBACK_RETRY_SECONDS', ''],
        ['CALLBACK_RETRY_SECONDS', '0,300'],
        ['CALLBACK_RETRY_SECONDS', '604801'],
        ['CALLBACK_RETRY_SECONDS', '5,0,7'],
        ['CALLBACK_RETRY_SECONDS', '5,-300'],
        ['CALLBACK_RETRY_SECONDS', '5,'],
        ['CALLBACK_RETRY_SECONDS', '2.5'],
        ['CALLBACK_RETRY_SECONDS', '1e2'],
        ['CALLBACK_RETRY_SECONDS', '5 300'],
        ['CALLBACK_RETRY_SECONDS', '5;300'],
        ['CALLBACK_RETRY_SECONDS', Array(21).fill('77').join()],
        ['CALLBACK_TARGET_LIMITS', undefined],
        ['CALLBACK_TARGET_LIMITS', ''],
        ['CALLBACK_TARGET_LIMITS', 'none'],
        ['CALLBACK_TARGET_LIMITS', '6,30'],
        ['CALLBACK_TARGET_LIMITS', '6,30,600,1'],
        ['CALLBACK_TARGET_LIMITS', '0,30,600'],
        ['CALLBACK_TARGET_LIMITS', '101,30,600'],
        ['CALLBACK_TARGET_LIMITS', '6,2,600'],
        ['CALLBACK_TARGET_LIMITS', '6,30,29'],
        ['CALLBACK_TARGET_LIMITS', '6,30,100001'],
        ['CALLBACK_TARGET_LIMITS', '6,30,-1'],
        ['CALLBACK_TARGET_LIMITS', '6,3e1,600'],
        ['RETENTION_HOURS', undefined],
        ['RETENTION_HOURS', ''],
        ['RETENTION_HOURS', '0'],
        ['RETENTION_HOURS', '-1'],
        ['RETENTION_HOURS', 'week'],
        ['RETENTION_HOURS', '1.5'],
        ['VISITOR_RETENTION_HOURS', undefined],
        ['VISITOR_RETENTION_HOURS', '0'],
        ['VISITOR_RETENTION_HOURS', '721'],
        ['VISITOR_RETENTION_HOURS', '-1'],
        ['VISITOR_RETENTION_HOURS', '1.5'],
        ['VISITOR_RETENTION_HOURS', 'day'],
        ['ACCOUNT_LIMITS', undefined],
        ['ACCOUNT_LIMITS', ''],
        ['ACCOUNT_LIMITS', 'unlimited'],
        ['ACCOUNT_LIMITS', 'OFF'],
        ['ACCOUNT_LIMITS', '1000,20,100,100'],
        ['ACCOUNT_LIMITS', '1000,20,100,100,10000,1'],
        ['ACCOUNT_LIMITS', '1000,20,100,100,'],
        ['ACCOUNT_LIMITS', '1000,20,-100,100,10000'],
        ['ACCOUNT_LIMITS', '1000,2.5,100,100,10000'],
        ['ACCOUNT_LIMITS', '1000,20,100,100,9999999999'],
        ['DATA_KEY', undefined],
        ['DATA_KEY', ''],
        ['DATA_KEY', KEY],
        ['DATA_KEY', `:${KEY}`],
        ['DATA_KEY', `a b:${KEY}`],
        ['DATA_KEY', `1.2:${KEY}`],
        ['DATA_KEY', `${'v'.repeat(21)}:${KEY}`],
        ['DATA_KEY', `1:${keyOf(31)}`],
        ['DATA_KEY', `1:${keyOf(33)}`],
        ['DATA_KEY', `1:${KEY.replace('=', '')}`],
        ['DATA_KEY', `1:${KEY.replace('/', '_')}`],
        ['DATA_KEY', `1:${KEY}:2`],
        ['DATA_KEY', `1:${KEY},`],
        ['DATA_KEY', `2:${KEY},1:secret!`],
        ['DATA_KEY', `1:${KEY},2:${KEY},1:${KEY}`],
      ],
      ([name, value]) => {
        const parse = () => parseConfig({ ...env, [name]: value })
        expect(parse).toThrow(`\n  ${name}`)
        if (value) expect(parse).not.toThrow(value)
      },
    ))

  it('accepts ACCOUNT_LIMITS in megabytes, or off', () => {
    const limitsOf = (value: string) => parseConfig({ ...env, ACCOUNT_LIMITS: value }).accountLimits
    expect(limitsOf('1, 2,3,4,5')).toEqual({
      bodies: 1,
      bodyBytes: 2_000_000,
      images: 3,
      imageBytes: 4_000_000,
      deliveries: 5,
    })
    expect(limitsOf('0,0,0,0,0').bodies).toBe(0)
    expect(limitsOf('off')).toEqual(NO_LIMITS)
  })

  it('names every wrong variable at once', () => {
    expect(() => parseConfig({})).toThrow(/SIGNUP:.*TOKEN_RATE_LIMIT:.*SIGNING_KEYS:/s)
  })

  it('parses PUBLIC_URL as an origin', () =>
    eachRow(
      [
        ['https://galaxy.example', 'https://galaxy.example'],
        ['https://galaxy.example/', 'https://galaxy.example'],
        ['http://localhost:8787', 'http://localhost:8787'],
        ['', undefined],
      ],
      ([value, origin]) => {
        expect(parseConfig({ ...env, PUBLIC_URL: value }).publicUrl).toBe(origin)
      },
    ))

  it('parses OWN_ADDRESSES as hosts', () => {
    const addresses = ' LocalHost:8787, 0x7f.1:80,[FD00:0::5]:8787'
    const expected = ['localhost:8787', '127.0.0.1', '[fd00::5]:8787']
    expect(parseConfig({ ...env, OWN_ADDRESSES: addresses }).ownAddresses).toEqual(expected)
  })

  it('parses ECHO_HOST as a host', () =>
    eachRow(
      [
        ['', undefined],
        ['echo.example', 'echo.example'],
        ['Echo.Example:8787', 'echo.example:8787'],
        ['[::1]:8787', '[::1]:8787'],
      ],
      ([value, host]) => {
        expect(parseConfig({ ...env, ECHO_HOST: value }).echoHost).toBe(host)
      },
    ))

  it('parses UNIVERSE_HOST as a host', () =>
    eachRow(
      [
        ['', undefined],
        ['worlds.example', 'worlds.example'],
        ['Localhost:8787', 'localhost:8787'],
      ],
      ([value, host]) => {
        expect(parseConfig({ ...env, UNIVERSE_HOST: value }).universeHost).toBe(host)
      },
    ))

  it('rejects a service or an echo at the host of a universe, where neither could be reached', () => {
    const ID = 'abcdefghijklmnopqrstuv27'
    const message = 'must not be the host of a universe, which is below UNIVERSE_HOST'
    const parse = (variables: object) => parseConfig({ ...env, UNIVERSE_HOST: 'worlds.example', ...variables })
    for (const host of [`${ID}.worlds.example`, `${ID.toUpperCase()}.Worlds.example.:8443`]) {
      expect(() => parse({ PUBLIC_URL: `https://${host}` })).toThrow(`PUBLIC_URL: ${message}`)
      expect(() => parse({ ECHO_HOST: host })).toThrow(`ECHO_HOST: ${message}`)
      expect(parse({ PUBLIC_URL: `https://${host}`, UNIVERSE_HOST: '' }).universeHost).toBeUndefined()
    }
    const hosts = ['worlds.example', 'www.worlds.example', `a.${ID}.worlds.example`, `${ID}.example`, 'galaxy.example']
    for (const host of hosts) {
      expect(parse({ PUBLIC_URL: `https://${host}` }).publicUrl).toBe(`https://${host}`)
      expect(parse({ ECHO_HOST: host }).echoHost).toBe(host)
    }
  })

  it('rejects an echo at the host of the service, which would then serve nothing else', () => {
    const shared = { ...env, PUBLIC_URL: 'https://galaxy.example', ECHO_HOST: 'galaxy.example' }
    expect(() => parseConfig(shared)).toThrow('ECHO_HOST: must be a different host from that of PUBLIC_URL')
    expect(parseConfig({ ...shared, ECHO_HOST: 'echo.galaxy.example' }).echoHost).toBe('echo.galaxy.example')
  })

  it('parses SEED', () =>
    eachRow(
      [
        ['', undefined],
        ['4.2_a-b', '4.2_a-b'],
        ['a'.repeat(64), 'a'.repeat(64)],
      ],
      ([SEED, seed]) => {
        expect(parseConfig({ ...env, SEED }).seed).toBe(seed)
      },
    ))

  it('rejects a seed in a public service, whose ids everybody could guess', () => {
    const parse = () => parseConfig({ ...env, SEED: '42', PUBLIC_URL: 'https://galaxy.example' })
    expect(parse).toThrow('SEED: must be empty if PUBLIC_URL is set')
  })

  it('parses REPORT_CONTACT as one line', () =>
    eachRow(
      [
        ['', undefined],
        ['mailto:abuse@galaxy.example', 'mailto:abuse@galaxy.example'],
        ['https://galaxy.example/report', 'https://galaxy.example/report'],
        ['https://galaxy.example/\nExpires: never', 'https://galaxy.example/Expires:%20never'],
      ],
      ([value, contact]) => {
        expect(parseConfig({ ...env, REPORT_CONTACT: value }).reportContact).toBe(contact)
      },
    ))

  it('rejects an IMAGE_HOST that serves something else', () =>
    eachRow(
      ['galaxy.example', 'Galaxy.Example:80', 'echo.example', 'images.universe.example', 'universe.example'],
      (value) => {
        const hosts = {
          PUBLIC_URL: 'https://galaxy.example',
          ECHO_HOST: 'echo.example',
          UNIVERSE_HOST: 'universe.example',
        }
        const parse = (IMAGE_HOST: string) => parseConfig({ ...env, ...hosts, IMAGE_HOST })
        expect(() => parse(value)).toThrow('IMAGE_HOST: must be a different host')
        const { imageHost, closedHosts } = parse('images.galaxy.example')
        expect([imageHost, closedHosts]).toEqual(['images.galaxy.example', ['images.galaxy.example']])
      },
    ))

  it('accepts VISITOR_RETENTION_HOURS at its limits', () =>
    eachRow(
      [
        ['', undefined],
        ['1', 1],
        ['720', 720],
      ],
      ([value, hours]) => {
        expect(parseConfig({ ...env, VISITOR_RETENTION_HOURS: value }).visitorRetentionHours).toBe(hours)
      },
    ))

  it('parses OIDC_ISSUERS as issuers with their audiences', () =>
    eachRow(
      [
        ['', []],
        [' , ', []],
        ['https://idp.example|galaxy', [{ issuer: 'https://idp.example', audience: 'galaxy' }]],
        // An issuer is compared character by character: its path and its last slash are part of it.
        ['https://idp.example/tenant/|a b', [{ issuer: 'https://idp.example/tenant/', audience: 'a b' }]],
        [
          ' https://idp.example | galaxy , http://localhost:9000|https://galaxy.test,',
          [
            { issuer: 'https://idp.example', audience: 'galaxy' },
            { issuer: 'http://localhost:9000', audience: 'https://galaxy.test' },
          ],
        ],
      ],
      ([value, issuers]) => {
        expect(parseConfig({ ...env, OIDC_ISSUERS: value }).foreignIssuers).toEqual(issuers)
      },
    ))

  it('accepts switches that are on and off', () =>
    eachRow(
      [
        ['on', true],
        ['off', false],
      ],
      ([value, isOn]) => {
        const names = [
          'DEMO_CONTROLS',
          'WRITE_RATE_LIMIT',
          'SEARCH_RATE_LIMIT',
          'OAUTH_LEGACY_FLOWS',
          'CALLBACK_ALLOW_PRIVATE',
        ]
        const switched = Object.fromEntries(names.map((name) => [name, value]))
        expect(parseConfig({ ...env, ...switched })).toMatchObject({
          demoControls: isOn,
          limitsWrites: isOn,
          legacyFlows: isOn,
          allowsPrivateTargets: isOn,
        })
      },
    ))

  it('parses CALLBACK_RETRY_SECONDS as the waits before each retry', () =>
    eachRow(
      [
        ['1', [1]],
        ['604800', [604_800]],
        [' 2 , 1,005', [2, 1, 5]],
        [Array(20).fill('7').join(), Array(20).fill(7)],
      ],
      ([value, seconds]) => {
        expect(parseConfig({ ...env, CALLBACK_RETRY_SECONDS: value }).retrySeconds).toEqual(seconds)
      },
    ))

  it('parses CALLBACK_TARGET_LIMITS as the limits of calls to a host', () =>
    eachRow(
      [
        ['off', undefined],
        ['6,30,600', { concurrent: 6, callsUnproven: 30, callsProven: 600 }],
        [' 1 , 3,3', { concurrent: 1, callsUnproven: 3, callsProven: 3 }],
        ['100,100000,100000', { concurrent: 100, callsUnproven: 100_000, callsProven: 100_000 }],
      ],
      ([value, limits]) => {
        expect(parseConfig({ ...env, CALLBACK_TARGET_LIMITS: value }).targetLimits).toEqual(limits)
      },
    ))

  it('accepts RETENTION_HOURS at its limits', () =>
    eachRow(
      [
        ['1', 1],
        ['8760', 8760],
      ],
      ([value, hours]) => {
        expect(parseConfig({ ...env, RETENTION_HOURS: value }).retentionHours).toBe(hours)
      },
    ))

  it('keeps the keys of DATA_KEY in their order, each with its version', () => {
    const zeros = new Uint8Array(32).toBase64()
    const { dataKeys } = parseConfig({ ...env, DATA_KEY: ` new_2:${KEY} ,1:${zeros}` })
    expect(dataKeys).toEqual([
      { version: 'new_2', bytes: new Uint8Array(32).fill(0xff) },
      { version: '1', bytes: new Uint8Array(32) },
    ])
  })

  it('reports keys with the same version, and the required length for a key of another length', () => {
    const parse = (value: string) => () => parseConfig({ ...env, DATA_KEY: value })
    expect(parse(`1:${KEY},1:${KEY}`)).toThrow(/DATA_KEY: must not have two keys with the same version/)
    expect(parse(`1:${keyOf(16)}`)).toThrow(/DATA_KEY: must be a comma-separated list of version:key, .* of 32 bytes/)
  })

  it('reveals no part of a valid key if another is wrong', () => {
    const secret = crypto.getRandomValues(new Uint8Array(32)).toBase64()
    const parse = () => parseConfig({ ...env, DATA_KEY: `1:${secret},2:short` })
    expect(parse).toThrow('\n  DATA_KEY')
    expect(parse).not.toThrow(secret.slice(0, 8))
  })
})
