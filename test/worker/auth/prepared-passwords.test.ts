import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hashPassword, isHashOutdated, verifyPassword } from '../../../src/auth/passwords.ts'
import { preparePassword } from '../../../src/auth/prepared-password.ts'
import { PASSWORD_MAX } from '../../../src/domain/limits.ts'
import { type Account, type Client, createAccount, createClient } from '../../support/app.ts'
import { basic } from '../../support/credentials.ts'
import { registerClient, requestTokens, signIn, signUpPath, UserAgent } from '../../support/oauth.ts'

// Passwords are compared as the profile OpaqueString has them (RFC 8265, section 4.2), at each place that takes one.

/** The same password: composed, as Windows sends it, and decomposed, as macOS does; with two kinds of spaces. */
const COMPOSED = 'Müller\u{A0}trinkt Ångström'.normalize('NFC')
const DECOMPOSED = 'Müller trinkt\u{3000}Ångström'.normalize('NFD')
const OTHER = 'Muller trinkt Angstrom'

const ITERATIONS = 1000
describe('a password is prepared', () => {
  it.each([
    { what: 'to the composed form', text: 'e\u0301', prepared: '\u00e9' },
    { what: 'with composed Hangul', text: '\u1112\u1161\u11ab', prepared: '\u{d55c}' },
    { what: 'with a single letter for a unit', text: '\u212b\u2126', prepared: '\u00c5\u03a9' },
    {
      what: 'with plain spaces',
      text: '\u00a0\u1680\u2000\u2009\u200a\u202f\u205f\u3000',
      prepared: ' '.repeat(8),
    },
    // Compatible letters and cases stay different (RFC 8265, section 4.2.2), and so does what the profile disallows.
    { what: 'but keeps its width and case', text: '\uff21\ufb01Aa', prepared: '\uff21\ufb01Aa' },
    { what: 'but keeps spaces at its ends', text: ' a  b ', prepared: ' a  b ' },
    {
      what: 'but keeps control characters and zero widths',
      text: 'a\u0007\u200b\u200d\t',
      prepared: 'a\u0007\u200b\u200d\t',
    },
  ])('$what', ({ text, prepared }) => {
    expect(preparePassword(text)).toBe(prepared)
    expect(preparePassword(prepared)).toBe(prepared)
  })

  it('if it has at most as many code units as the longest password in any form', () => {
    // The letter with the most code units in a decomposition: 4 characters of 2 units each in the largest case.
    const unitsMax = PASSWORD_MAX * 4 * 2
    const longest = `${'a'.repeat(unitsMax - 1)}\u00a0`
    expect(preparePassword(longest)).toBe(`${'a'.repeat(unitsMax - 1)} `)
    expect(preparePassword(`a${longest}`)).toBe(`a${longest}`)
  })

  it('in a short time, however long it is', () => {
    // Marks that have to be sorted: each belongs before the one in front of it.
    const hostile = `a${'\u0301\u0323'.repeat(500_000)}`
    const began = Date.now()
    expect(preparePassword(hostile)).toBe(hostile)
    expect(Date.now() - began).toBeLessThan(1000)
  })

  it('also if each of its characters is eight code units in another form', () => {
    // U+1D1C0 has the longest canonical decomposition: three characters of two code units each. U+1F82 has four
    // characters.
    for (const character of ['\u{1d1c0}', '\u1f82', '\u{1d163}']) {
      const [short, long] = [character, character.normalize('NFD')].map((text) => text.repeat(PASSWORD_MAX))
      expect(preparePassword(long ?? '')).toBe(preparePassword(short ?? ''))
    }
  })
})

describe('a stored hash', () => {
  it('matches every form of its password', async () => {
    const stored = await hashPassword(COMPOSED, ITERATIONS)
    const matches = (password: string) => verifyPassword(password, stored, ITERATIONS)
    expect(await Promise.all([COMPOSED, DECOMPOSED, OTHER].map(matches))).toEqual([true, true, false])
    expect(isHashOutdated(stored, ITERATIONS)).toBe(false)
  })

  it.each([
    { account: 'nobody', hashOf: async () => null },
    { account: 'an account', hashOf: () => hashPassword(OTHER, ITERATIONS) },
  ])('a wrong password of $account takes one derivation', async ({ hashOf }) => {
    const stored = await hashOf()
    const derive = vi.spyOn(crypto.subtle, 'deriveBits')
    expect(await verifyPassword(DECOMPOSED, stored, ITERATIONS)).toBe(false)
    expect(derive).toHaveBeenCalledTimes(1)
    derive.mockRestore()
  })

  it.each([1, 500, 999, 1000])('of %i iterations costs a wrong password as much as a new one', async (iterations) => {
    const stored = await hashPassword(OTHER, iterations)
    const derive = vi.spyOn(crypto.subtle, 'deriveBits')
    expect(await verifyPassword('wrong horse', stored, ITERATIONS)).toBe(false)
    const costs = derive.mock.calls.map(([algorithm]) => Object(algorithm).iterations)
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(ITERATIONS)
    derive.mockRestore()
  })
})

/** All requests of these tests come from one address. */
const UNLIMITED = { passwordAttempts: 10_000, signupsPerHour: 10_000 }

let client: Client
let account: Account

async function setHash(hash: string): Promise<void> {
  await env.DB.prepare('update users set password_hash = ? where id = ?').bind(hash, account.id).run()
}

const hashOfAccount = async () =>
  await env.DB.prepare('select password_hash from users where id = ?').bind(account.id).first<string>('password_hash')

beforeEach(async () => {
  client = createClient({ config: { ...UNLIMITED, legacyFlows: true, passwordIterations: ITERATIONS } })
  account = await createAccount(client)
})

/** The places that check a password. Each returns whether it accepts one. */
const PLACES: readonly { place: string; accepts(password: string): Promise<boolean> }[] = [
  {
    place: 'Basic',
    accepts: async (password) => (await client.get('/me', basic(account.email, password).headers)).status === 200,
  },
  {
    place: 'POST /auth/token',
    accepts: async (password) =>
      (await client.sendJson('POST', '/auth/token', { email: account.email, password })).status === 201,
  },
  {
    place: 'the sign-in page',
    async accepts(password) {
      const { id } = await registerClient(client.send)
      const browser = await signIn(client.send, { email: account.email, password }, id)
      return browser.response?.status === 200
    },
  },
  {
    place: 'the password grant',
    async accepts(password) {
      const metadata = { grant_types: ['password'] }
      const app = await registerClient(client.send, metadata, `Bearer ${account.token}`)
      const form = { grant_type: 'password', username: account.email, password }
      return (await requestTokens(client.send, app, form)).status === 200
    },
  },
  {
    place: 'PUT /me/password',
    async accepts(password) {
      const change = { currentPassword: password, newPassword: COMPOSED }
      const { status } = await client.sendJson('PUT', '/me/password', change, account)
      return status === 204
    },
  },
  {
    place: 'DELETE /me',
    accepts: async (password) => (await client.sendJson('DELETE', '/me', { password }, account)).status === 204,
  },
]

describe.each(PLACES)('$place', ({ accepts }) => {
  it('accepts every form of a password', async () => {
    await setHash(await hashPassword(COMPOSED, ITERATIONS))
    expect(await accepts(OTHER)).toBe(false)
    expect(await accepts(DECOMPOSED)).toBe(true)
  })
})

/** The places that set a password. */
const SETTERS: readonly { place: string; set(password: string): Promise<{ email: string }> }[] = [
  {
    place: 'POST /user/signup',
    async set(password) {
      const email = `${crypto.randomUUID()}@galaxy.test`
      expect((await client.sendJson('POST', '/user/signup', { email, password })).status).toBe(201)
      return { email }
    },
  },
  {
    place: 'the sign-up page',
    async set(password) {
      const email = `${crypto.randomUUID()}@galaxy.test`
      const { id } = await registerClient(client.send)
      const browser = new UserAgent(client.send)
      await browser.open(signUpPath(id))
      await browser.submit({ email, password })
      expect(browser.response?.status).toBe(200)
      return { email }
    },
  },
  {
    place: 'PUT /me/password',
    async set(newPassword) {
      const change = { currentPassword: account.password, newPassword }
      expect((await client.sendJson('PUT', '/me/password', change, account)).status).toBe(204)
      return account
    },
  },
]

describe.each(SETTERS)('a password that is set by $place', ({ set }) => {
  it.each([
    { form: 'composed', password: COMPOSED },
    { form: 'decomposed', password: DECOMPOSED },
    // Today's limits count characters as they are sent.
    { form: 'six characters, three when it is prepared', password: 'e\u0301e\u0301e\u0301' },
    { form: '256 characters, 512 when it is prepared', password: '\u0958'.repeat(256) },
    { form: '512 characters, 256 when it is prepared', password: 'e\u0301'.repeat(256) },
    { form: 'with what the profile disallows', password: 'horse\u200b\u00ad\ufb01' },
  ])('$form is accepted, and matches in each form', async ({ password }) => {
    const { email } = await set(password)
    for (const form of [password.normalize('NFC'), password.normalize('NFD')]) {
      expect((await client.sendJson('POST', '/auth/token', { email, password: form })).status).toBe(201)
    }
  })
})

it('a password of 257 characters in its shortest form, or of five, is refused', async () => {
  const email = `${crypto.randomUUID()}@galaxy.test`
  for (const password of ['\u00e9'.repeat(257), 'e\u0301'.repeat(257), 'e\u0301e\u0301e']) {
    expect((await client.sendJson('POST', '/user/signup', { email, password })).status).toBe(422)
  }
})

it('a hash of another cost is renewed by the next success', async () => {
  const stored = await hashPassword(DECOMPOSED, client.services.config.passwordIterations + 1)
  await setHash(stored)
  const signInWith = async (password: string) =>
    (await client.sendJson('POST', '/auth/token', { email: account.email, password })).status
  expect(await signInWith(OTHER)).toBe(401)
  expect(await hashOfAccount()).toBe(stored)
  expect(await signInWith(COMPOSED)).toBe(201)
  expect(await hashOfAccount()).toContain(`$i=${client.services.config.passwordIterations}$`)
  expect([await signInWith(COMPOSED), await signInWith(DECOMPOSED)]).toEqual([201, 201])
})
