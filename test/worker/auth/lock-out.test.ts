import { beforeEach, expect, it } from 'vitest'
import { type Account, type Client, createAccount, createClient } from '../../support/app.ts'

// An attacker who tries to lock an account does not lock out its owner.

const ATTEMPTS = 2
const DAY_MS = 24 * 60 * 60 * 1000

let client: Client
let account: Account
let clock: number
/** Attempts count by address, so each test has its own. */
let test = 0
let home: string
let elsewhere: string

beforeEach(async () => {
  clock = Date.now()
  test++
  home = `192.0.2.${test}`
  elsewhere = `203.0.113.${test}`
  client = createClient({ config: { passwordAttempts: ATTEMPTS }, now: () => new Date(clock) })
  account = await createAccount(client)
})

async function signIn(address: string, password: string): Promise<number> {
  const body = JSON.stringify({ email: account.email, password })
  const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': address }
  return (await client.send('/auth/token', { method: 'POST', body, headers })).status
}

/** Failures from ever new addresses, until no address gets another attempt. */
async function attack(): Promise<void> {
  let network = 0
  while ((await signIn(`2001:db8:${test}:${(network++).toString(16)}::1`, 'wrong horse')) !== 429) {
    if (network > ATTEMPTS * 10) throw new Error('there is no limit for the e-mail')
  }
}

it('an owner can sign in from an address where the password was right before, and nobody can from another', async () => {
  expect(await signIn(home, account.password)).toBe(201)
  await attack()
  expect(await signIn(home, account.password)).toBe(201)
  expect(await signIn(elsewhere, account.password)).toBe(429)
})

it('that address gets no more attempts than any other', async () => {
  expect(await signIn(home, account.password)).toBe(201)
  await attack()
  expect(await signIn(home, 'wrong horse')).toBe(401)
  expect(await signIn(home, 'wrong horse')).toBe(429)
})

it('an address is remembered for 30 days after its last use', async () => {
  expect(await signIn(home, account.password)).toBe(201)
  clock += 30 * DAY_MS - 1
  await attack()
  expect(await signIn(home, account.password)).toBe(201)
  clock += 30 * DAY_MS
  await attack()
  expect(await signIn(home, account.password)).toBe(429)
})

it('the address of another account does not count', async () => {
  const other = await createAccount(client)
  const body = JSON.stringify({ email: other.email, password: other.password })
  const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': home }
  expect((await client.send('/auth/token', { method: 'POST', body, headers })).status).toBe(201)
  await attack()
  expect(await signIn(home, account.password)).toBe(429)
})
