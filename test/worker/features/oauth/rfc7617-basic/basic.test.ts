import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../../../src/auth/passwords.ts'
import { bodyOf, createAccount } from '../../../../support/app.ts'
import type { Send } from '../../../../support/oauth.ts'
import { createProvider, sendFrom } from '../support.ts'

const CHALLENGE = 'Basic realm="Galaxy", charset="UTF-8"'

let send: Send
let id: number
let email: string

beforeEach(async () => {
  const client = createProvider()
  send = sendFrom(client)
  const account = await createAccount(client)
  id = account.id
  email = account.email
})

/** Gives the account a password that sign-up would accept too. */
async function setPassword(password: string): Promise<void> {
  const hash = await hashPassword(password, 1000)
  await env.DB.prepare('update users set password_hash = ? where id = ?').bind(hash, id).run()
}

const encode = (text: string) => new TextEncoder().encode(text).toBase64()
const readMe = (authorization: string | undefined) =>
  send('/me', { headers: authorization === undefined ? {} : { Authorization: authorization } })

describe('e-mail and password', () => {
  it.each(['correct horse', 'a:b::c:', 'ключ', '🪐🪐🪐', ' spaces around ', 'e\u0301 is not \u00e9', 'x'.repeat(256)])(
    'are parsed as UTF-8, the password being everything after the first colon: %j',
    async (password) => {
      await setPassword(password)
      expect(await bodyOf(await readMe(`Basic ${encode(`${email}:${password}`)}`))).toMatchObject({ id })
    },
  )

  it.each(['Basic', 'basic', 'BASIC', 'Basic  '])('are accepted with the scheme in any case: %j', async (scheme) => {
    expect((await readMe(`${scheme} ${encode(`${email}:correct horse`)}`)).status).toBe(200)
  })

  it.each<[string, () => string]>([
    ['a wrong password', () => encode(`${email}:guess`)],
    ['the password in another case', () => encode(`${email}:Correct Horse`)],
    ['an unknown e-mail', () => encode('nobody@galaxy.test:correct horse')],
    ['no colon', () => encode(email)],
    ['no password', () => encode(`${email}:`)],
    ['no e-mail', () => encode(':correct horse')],
    ['U+0000 after the password', () => encode(`${email}:correct horse\0`)],
    ['Latin-1', () => btoa(`${email}:\xe9\xe9\xe9`)],
    ['no base64', () => '%%%'],
    ['nothing', () => ''],
  ])('are rejected with %s: 401 and the challenge', async (_, credential) => {
    const response = await readMe(`Basic ${credential()}`)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')?.startsWith(`${CHALLENGE}, Bearer `)).toBe(true)
  })

  it.each([undefined, 'Bearer x', 'Basic x'])('are requested after a request with %s', async (authorization) => {
    const challenge = (await readMe(authorization)).headers.get('WWW-Authenticate')
    expect(challenge?.startsWith(`${CHALLENGE}, Bearer `)).toBe(true)
  })

  it.each(['navigate', 'cors', 'no-cors', 'same-origin', 'websocket'])(
    'are never requested from a browser (Sec-Fetch-Mode: %s), where a dialog would open',
    async (mode) => {
      for (const sent of [{}, { Authorization: 'Bearer x' }, { Authorization: 'Basic x' }, { 'X-API-Key': 'x' }]) {
        const response = await send('/me', { headers: { ...sent, 'Sec-Fetch-Mode': mode } })
        expect(response.status).toBe(401)
        expect(response.headers.get('WWW-Authenticate')).toMatch(/^Bearer /)
        expect(response.headers.get('WWW-Authenticate')).not.toContain('Basic')
      }
    },
  )

  it('are not requested if the route does not accept them', async () => {
    const response = await send('/oauth/userinfo')
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).not.toContain('Basic')
  })
})
