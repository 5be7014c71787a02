import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import { authorizationPath, registerClient, signIn, signUpPath, UserAgent } from '../../../../support/oauth.ts'
import { createProvider, sendFrom } from '../support.ts'

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</title></main><form action=https://evil.test>',
  '&lt;b&gt;&amp;',
  '<!--',
  '" autofocus onfocus="alert(1)',
]
/** The elements of the service's own pages; anything else in a page came from outside. */
const OWN_ELEMENTS = new Set(
  'html head meta title link body aside header nav aside div footer main svg g path circle h1 p ul li strong bdi span code form input label button a'.split(
    ' ',
  ),
)

let client: Client
let account: Account

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
})

/** Expects that a page contains only the service's own elements and attributes, and shows a text unchanged. */
function expectText(page: string, text: string): void {
  const tags = [...page.matchAll(/<([a-z0-9]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi)]
  for (const [tag, name = '', attributes = ''] of tags) {
    expect(OWN_ELEMENTS.has(name), tag).toBe(true)
    expect(attributes.replaceAll(/="[^"]*"/g, '')).not.toMatch(/\bon[a-z]+/i)
  }
  // After the service's own elements are removed, nothing is left that begins a tag.
  expect(page.replaceAll(/<!doctype html>|<\/?[a-z0-9]+(?:\s+[a-z-]+(?:="[^"]*")?)*\s*\/?>/gi, '')).not.toContain('<')
  expect(page).not.toContain('evil.test>')
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  expect(page).toContain(escaped)
}

describe.each(HOSTILE)('markup is shown as text: %s', (text) => {
  it('in the name of a client, on both pages', async () => {
    const { id } = await registerClient(client.send, { client_name: text })
    expectText(await (await client.get(authorizationPath(id))).text(), text)
    expectText((await signIn(client.send, account, id)).page, text)
  })

  it('in login_hint', async () => {
    const { id } = await registerClient(client.send)
    expectText(await (await client.get(authorizationPath(id, { login_hint: text }))).text(), text)
  })

  it('in a wrong e-mail address', async () => {
    const { id } = await registerClient(client.send)
    const browser = await signIn(sendFrom(client), { email: text, password: 'guess' }, id)
    expect(browser.response?.status).toBe(401)
    expectText(browser.page, text)
  })

  it('in the fields of a rejected sign-up', async () => {
    const { id } = await registerClient(client.send)
    const browser = new UserAgent(sendFrom(client))
    await browser.open(signUpPath(id))
    for (const field of ['name', 'email']) {
      await browser.submit({ name: 'Ada', email: 'ada@example', password: 'i-love-planets', [field]: text })
      expect(browser.response?.status).toBe(400)
      expectText(browser.page, text)
    }
  })

  it('in the e-mail address of the account', async () => {
    await env.DB.prepare('update users set email = ? where id = ?').bind(text, account.id).run()
    const { id } = await registerClient(client.send)
    expectText((await signIn(client.send, account, id)).page, text)
    const browser = await signIn(client.send, account, id)
    await browser.open('/oauth/end-session')
    expectText(browser.page, text)
  })

  it('in state, nonce and other fields of the form, which are returned unchanged', async () => {
    const { id } = await registerClient(client.send)
    const browser = await signIn(client.send, account, id, { state: text, nonce: text })
    expectText(
      browser.page,
      encodeURIComponent(text)
        .replaceAll('%20', '+')
        .replaceAll("'", '%27')
        .replaceAll('!', '%21')
        .replaceAll('(', '%28')
        .replaceAll(')', '%29'),
    )
    expect((await browser.submit({ decision: 'allow' }))?.searchParams.get('state')).toBe(text)
  })

  it('in state on the page that asks for a logout', async () => {
    const { id } = await registerClient(client.send, { post_logout_redirect_uris: ['https://client.test/bye'] })
    const browser = await signIn(client.send, account, id)
    const query = { client_id: id, post_logout_redirect_uri: 'https://client.test/bye', state: text }
    await browser.open(`/oauth/end-session?${new URLSearchParams(query)}`)
    expectText(browser.page, text)
    expect((await browser.submit({}))?.searchParams.get('state')).toBe(text)
  })

  it('in a faulty request, whose page says only what is wrong', async () => {
    const page = await (
      await client.get(`${authorizationPath('nobody', { state: text })}&${encodeURIComponent(text)}=1`)
    ).text()
    expectText(page, 'There is no client with this client_id.')
  })
})

describe('a client that names its website', () => {
  it('is shown with its website as text: a link would suggest that the service trusts it', async () => {
    const client_uri = "https://client.test/?a='b'&c=d"
    const { id } = await registerClient(client.send, { client_uri })
    const { page } = await signIn(client.send, account, id)
    expectText(page, client_uri)
    expect(page).not.toContain('href="https://client.test')
  })

  it('is shown with the address that receives the response', async () => {
    for (const [redirect_uri, place] of [
      ['https://client.test:8443/callback?x=1', 'https://client.test:8443'],
      ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
      ['com.example.app:/callback', 'com.example.app:'],
    ] as const) {
      const { id } = await registerClient(client.send, { redirect_uris: [redirect_uri] })
      const { page } = await signIn(client.send, account, id, { redirect_uri })
      expect(page).toContain(`The response will be sent to <code>${place}</code>`)
    }
  })
})

it('a page with incomplete data is still complete HTML', async () => {
  const browser = new UserAgent(client.send)
  await browser.open(authorizationPath((await registerClient(client.send)).id))
  expectText(browser.page, 'An unnamed application')
})
