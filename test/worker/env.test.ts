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
})
