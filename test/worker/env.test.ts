import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/env.ts'

describe('the configuration', () => {
  it('of wrangler.toml is one that the service starts with', () => {
    expect(parseConfig(env)).toMatchObject({
      publicUrl: undefined,
      signupOpen: true,
      signupsPerHour: 30,
      tokenAttempts: 10,
      tokenWindowSeconds: 60,
      demoControls: true,
      limitsWrites: true,
      legacyFlows: false,
      foreignIssuers: [],
    })
  })

  it.each([
    ['SIGNUP', 'maybe'],
    ['SIGNUP', undefined],
    ['TOKEN_RATE_LIMIT', '0'],
    ['TOKEN_RATE_LIMIT', 'ten'],
    ['TOKEN_RATE_WINDOW', '-1'],
    ['SIGNUP_RATE_LIMIT', ''],
    ['PASSWORD_ITERATIONS', '1e3'],
    ['DEMO_CONTROLS', 'yes'],
    ['WRITE_RATE_LIMIT', '600'],
    ['WRITE_RATE_LIMIT', undefined],
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
    ['PUBLIC_URL', 'ftp://galaxy.example'],
    ['SIGNING_KEYS', undefined],
    ['SIGNING_KEYS', 'secret!'],
    ['SIGNING_KEYS', '{"keys":[]}'],
    ['SIGNING_KEYS', '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}'],
  ])('with %s = %s is refused by the name of the variable, and without its value', (name, value) => {
    const parse = () => parseConfig({ ...env, [name]: value })
    expect(parse).toThrow(`\n  ${name}`)
    if (value) expect(parse).not.toThrow(value)
  })

  it('names every wrong variable at once', () => {
    expect(() => parseConfig({})).toThrow(/SIGNUP:.*TOKEN_RATE_LIMIT:.*SIGNING_KEYS:/s)
  })

  it.each([
    ['https://galaxy.example', 'https://galaxy.example'],
    ['https://galaxy.example/', 'https://galaxy.example'],
    ['http://localhost:8787', 'http://localhost:8787'],
    ['', undefined],
  ])('takes PUBLIC_URL %j as the origin %j', (value, origin) => {
    expect(parseConfig({ ...env, PUBLIC_URL: value }).publicUrl).toBe(origin)
  })

  it.each([
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
  ])('takes OIDC_ISSUERS %j as issuers with their audiences', (value, issuers) => {
    expect(parseConfig({ ...env, OIDC_ISSUERS: value }).foreignIssuers).toEqual(issuers)
  })

  it.each([
    ['on', true],
    ['off', false],
  ])('takes switches that are %s', (value, isOn) => {
    const switched = { ...env, DEMO_CONTROLS: value, WRITE_RATE_LIMIT: value, OAUTH_LEGACY_FLOWS: value }
    expect(parseConfig(switched)).toMatchObject({ demoControls: isOn, limitsWrites: isOn, legacyFlows: isOn })
  })
})
