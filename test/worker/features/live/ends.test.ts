import { describe, expect, it } from 'vitest'
import { authorization, bodyOf, createAccount, createClient } from '../../../support/app.ts'
import { getTokens, registerClient } from '../../../support/oauth.ts'
import { openSocket } from '../../../support/sockets.ts'

const client = createClient()

describe('a socket', () => {
  it.each(['system/events', 'planets/1/get'])('at %s closes with 4401 when its key is deleted', async (path) => {
    const account = await createAccount(client)
    const scopes = ['read:events']
    const { id, key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', { name: 'Key', scopes }, account))
    const { closed } = await openSocket(client, path, { 'X-API-Key': key })
    const other = await openSocket(client, path, authorization(account))
    await client.send(`/me/api-keys/${id}`, { method: 'DELETE', headers: authorization(account) })
    expect((await closed)[0]).toBe(4401)
    other.socket.send('ping')
    other.socket.close()
  })

  it('closes with 4401 when its user has a new password, however it was opened', async () => {
    const account = await createAccount(client)
    const { email, password } = account
    const sockets = [
      await openSocket(client, 'system/events', authorization(account)),
      await openSocket(client, 'system/events', {
        Authorization: `Basic ${new TextEncoder().encode(`${email}:${password}`).toBase64()}`,
      }),
    ]
    const change = { currentPassword: password, newPassword: 'another battery' }
    const response = await client.sendJson('PUT', '/me/password', change, account)
    expect(response.status).toBeLessThan(300)
    for (const { closed } of sockets) expect((await closed)[0]).toBe(4401)
  })

  it('closes with 4401 when the client is deleted to which its user gave the token', async () => {
    const [account, developer] = [await createAccount(client), await createAccount(client)]
    const app = await registerClient(client.send, {}, `Bearer ${developer.token}`)
    const { access_token } = await getTokens(client.send, account, app, 'read:events')
    const { closed } = await openSocket(client, 'system/events', { Authorization: `Bearer ${access_token}` })
    await client.send(`/me/clients/${app.id}`, { method: 'DELETE', headers: authorization(developer) })
    expect((await closed)[0]).toBe(4401)
  })

  it('names a type of event as often as it likes', async () => {
    const types = Array.from({ length: 1000 }, () => 'security.alert').join()
    const { frames, socket } = await openSocket(client, `system/events?eventTypes=${types}`)
    await expect.poll(() => frames.length).toBe(1)
    socket.close()
  })

  it('hears that its account was deleted, then closes with 4401', async () => {
    const account = await createAccount(client)
    const { closed, frames } = await openSocket(client, `users/${account.id}/events`, authorization(account))
    await client.sendJson('DELETE', '/me', { password: account.password }, account)
    expect((await closed)[0]).toBe(4401)
    expect(frames.map((frame) => JSON.parse(frame).eventType)).toContain('user.deleted')
  })
})
