import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  getCode,
  getTokens,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
  type Tokens,
} from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider, expectError } from '../support.ts'

const SCOPE = 'read:account offline_access'

let clock: Clock
let client: Client
let account: Account
let app: Registered

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send)
})

const refresh = (refresh_token: string | undefined, parameters: Record<string, string> = {}) =>
  requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token, ...parameters })

async function isAlive({ access_token }: Tokens): Promise<boolean> {
  return (await client.get('/me', bearer(access_token))).status === 200
}

describe('a code that is used twice', () => {
  it('is rejected the second time, and the tokens of the first time end', async () => {
    const code = await getCode(client.send, account, app.id, { scope: SCOPE })
    const tokens: Tokens = await bodyOf(await redeemCode(client.send, app, code))
    expect(await isAlive(tokens)).toBe(true)
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    expect(await isAlive(tokens)).toBe(false)
    await expectError(await refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('ends its tokens even if it is expired by then, or comes without its proof', async () => {
    for (const [seconds, code_verifier] of [
      [61, undefined],
      [0, 'x'.repeat(43)],
    ] as const) {
      const code = await getCode(client.send, account, app.id, { scope: SCOPE })
      const tokens: Tokens = await bodyOf(await redeemCode(client.send, app, code))
      clock.pass(seconds)
      await expectError(await redeemCode(client.send, app, code, { code_verifier }), 400, 'invalid_grant')
      expect(await isAlive(tokens)).toBe(false)
    }
  })

  it('does not end other grants of the user', async () => {
    const other = await getTokens(client.send, account, app)
    const code = await getCode(client.send, account, app.id)
    for (let i = 0; i < 2; i++) await redeemCode(client.send, app, code)
    expect(await isAlive(other)).toBe(true)
  })

  it('by another client ends nothing: whoever has only seen it can do no harm', async () => {
    const code = await getCode(client.send, account, app.id)
    const tokens: Tokens = await bodyOf(await redeemCode(client.send, app, code))
    const other = await registerClient(client.send)
    await expectError(await redeemCode(client.send, other, code), 400, 'invalid_grant')
    expect(await isAlive(tokens)).toBe(true)
  })

  it('at the same moment works at most once, and its tokens end', async () => {
    const code = await getCode(client.send, account, app.id, { scope: SCOPE })
    await expectOneWinner(await Promise.all(Array.from({ length: 5 }, () => redeemCode(client.send, app, code))))
  })
})

describe('a refresh token', () => {
  let tokens: Tokens

  beforeEach(async () => {
    tokens = await getTokens(client.send, account, app, SCOPE)
  })

  it('is replaced at each use', async () => {
    const seen = [tokens.refresh_token]
    for (let i = 0; i < 3; i++) seen.push((await bodyOf(await refresh(seen.at(-1)))).refresh_token)
    expect(new Set(seen).size).toBe(4)
    expect(seen.every((token) => /^[A-Za-z0-9_-]{43}$/.test(token ?? ''))).toBe(true)
  })

  it('that is used twice ends all of its family, from the first token to the latest', async () => {
    const second: Tokens = await bodyOf(await refresh(tokens.refresh_token))
    const third: Tokens = await bodyOf(await refresh(second.refresh_token))
    for (const one of [tokens, second, third]) expect(await isAlive(one)).toBe(true)
    await expectError(await refresh(tokens.refresh_token), 400, 'invalid_grant')
    for (const one of [tokens, second, third]) expect(await isAlive(one)).toBe(false)
    await expectError(await refresh(third.refresh_token), 400, 'invalid_grant')
  })

  it('that is used again after its expiry ends the family too', async () => {
    let latest: Tokens = await bodyOf(await refresh(tokens.refresh_token))
    clock.pass(20 * 24 * 3600)
    latest = await bodyOf(await refresh(latest.refresh_token))
    clock.pass(20 * 24 * 3600)
    await expectError(await refresh(tokens.refresh_token), 400, 'invalid_grant')
    await expectError(await refresh(latest.refresh_token), 400, 'invalid_grant')
  })

  it('that is rejected because of its scope does not count as used', async () => {
    await expectError(await refresh(tokens.refresh_token, { scope: 'write:planets' }), 400, 'invalid_scope')
    expect((await refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('that is used twice ends no other family', async () => {
    const other = await getTokens(client.send, account, app, SCOPE)
    for (let i = 0; i < 2; i++) await refresh(tokens.refresh_token)
    expect(await isAlive(other)).toBe(true)
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  it('that is used several times at the same moment works at most once, and its tokens end', async () => {
    await expectOneWinner(await Promise.all(Array.from({ length: 5 }, () => refresh(tokens.refresh_token))))
    expect(await isAlive(tokens)).toBe(false)
  })
})

/** Of requests at the same moment, one gets tokens, which have ended already. */
async function expectOneWinner(responses: Response[]): Promise<void> {
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(responses.length - 1).fill(400)])
  for (const response of responses) {
    if (response.status === 400) {
      await expectError(response, 400, 'invalid_grant')
      continue
    }
    const won: Tokens = await bodyOf(response)
    expect(await isAlive(won)).toBe(false)
    await expectError(await refresh(won.refresh_token), 400, 'invalid_grant')
  }
}
