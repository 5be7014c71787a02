import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { aroundRuns, openD1, type SqliteDatabase } from '../../../../../src/db/port.ts'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  getTokens,
  redeemCode,
  registerClient,
  requestTokens,
  signIn,
} from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError, expectErrorPage } from '../support.ts'

// A client and its grants are deleted, or the grants are ended, after a request has read them and before the request
// writes.

const METADATA = { grant_types: ['authorization_code', 'refresh_token', 'client_credentials'] }

let account: Account
let client: Client
/** The same provider. But every client is deleted before it writes. */
let late: Client

beforeEach(async () => {
  client = createProvider()
  late = createProvider({ database: changedMeanwhile('delete from clients where owner_id is not null') })
  account = await createAccount(client)
})

/** The real database, in which a statement runs before each round trip with several statements. */
function changedMeanwhile(statement: string): SqliteDatabase {
  return aroundRuns(openD1(env.DB), async (statements, run) => {
    if (statements.length > 1) await env.DB.prepare(statement).run()
    return await run(statements)
  })
}

const register = () => registerClient(client.send, METADATA, bearer(account.token).Authorization)

async function expectNothingLeft(response: Response): Promise<void> {
  const { error_description } = await bodyOf(response.clone())
  await expectError(response, 400, 'invalid_grant')
  expect(error_description).toBe('The grant of the user has ended. Ask the user for a new one.')
}

it('a client that requests tokens of its own gets invalid_client', async () => {
  const app = await register()
  const response = await requestTokens(late.send, app, { grant_type: 'client_credentials' })
  await expectError(response, 401, 'invalid_client')
  expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic /)
})

it('a client that redeems a code gets invalid_grant', async () => {
  const app = await register()
  const code = await getCode(client.send, account, app.id, { scope: 'read:account offline_access' })
  await expectNothingLeft(await redeemCode(late.send, app, code))
})

it('a client that refreshes a token gets invalid_grant', async () => {
  const app = await register()
  const { refresh_token } = await getTokens(client.send, account, app, 'read:account offline_access')
  await expectNothingLeft(await requestTokens(late.send, app, { grant_type: 'refresh_token', refresh_token }))
})

it('a client that refreshes a token of a grant that the user revokes gets invalid_grant', async () => {
  const app = await register()
  const { refresh_token } = await getTokens(client.send, account, app, 'read:account offline_access')
  const revoking = createProvider({ database: changedMeanwhile('update grants set ended_at = 1') })
  await expectNothingLeft(await requestTokens(revoking.send, app, { grant_type: 'refresh_token', refresh_token }))
})

it('a user who allows it sees the error on the page', async () => {
  const app = await register()
  const browser = await signIn(client.send, account, app.id)
  const csrf = /name="csrf" value="([^"]*)"/.exec(browser.page)?.[1] ?? ''
  const response = await late.send(authorizationPath(app.id).replace('authorize', 'consent'), {
    method: 'POST',
    headers: { Cookie: browser.cookie ?? '' },
    body: new URLSearchParams({ csrf, decision: 'allow' }),
    redirect: 'manual',
  })
  expect(await expectErrorPage(response)).toContain('The client or your account was deleted or suspended')
})
