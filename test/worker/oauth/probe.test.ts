import { it } from 'vitest'
import { base64url } from 'jose'
import { createAccount, createClient, authorization, ORIGIN } from '../../support/app.ts'
import { registerClient, UserAgent, authorizationPath, sendForm, PKCE, getTokens, requestTokens, allow, REDIRECT_URI } from '../../support/oauth.ts'

it('probe', async () => {
  const client = createClient({ config: { signupsPerHour: 1000, legacyFlows: true } })
  const account = await createAccount(client)
  const app = await registerClient(client.send)
  const log = (name: string, v: unknown) => console.log(name, JSON.stringify(v))
  const show = async (name: string, p: Promise<Response>) => { const r = await p; log(name, [r.status, r.headers.get('location'), (await r.text()).slice(-400)]) }
  // NUL
  const ua = new UserAgent(client.send)
  await ua.open(authorizationPath(app.id))
  await ua.submit({ email: account.email, password: account.password + '\0' })
  log('nul', [ua.response?.status, ua.page.slice(-900)])
  // port 99999
  const ua2 = new UserAgent(client.send)
  await ua2.open(authorizationPath(app.id, { redirect_uri: 'http://127.0.0.1:99999/callback' }))
  await ua2.submit({ email: account.email, password: account.password })
  log('port', [ua2.response?.status, ua2.page.slice(-300)])
  // dup
  await show('dup scope', client.get(authorizationPath(app.id) + '&scope=openid'))
  await show('dup unknown', client.get(authorizationPath(app.id) + '&x=1&x=2'))
  await show('dup state', client.get(authorizationPath(app.id) + '&state=2'))
  await show('long state', client.get(authorizationPath(app.id, {state: 'x'.repeat(3000)})))
  await show('dup token', client.send('/oauth/token', {method:'POST', headers: {'content-type':'application/x-www-form-urlencoded'}, body: 'grant_type=a&grant_type=b'}))
  // assertion sub object
  const a = `${base64url.encode(JSON.stringify({alg:'RS256'}))}.${base64url.encode(JSON.stringify({sub:{a:1}}))}.x`
  await show('sub obj', sendForm(client.send, '/oauth/token', { grant_type: 'client_credentials', client_assertion: a, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'}))
  // CSP
  for (const uri of ['https://a;sandbox.test/cb', 'https://*/cb', 'https://*.evil.test/cb', "https://'unsafe-inline'/cb", 'https://a,b.test/cb', 'com.example.app:/cb', 'com.example.app://cb', 'http://[::1]/cb', 'https://ex%61mple.test/cb', 'https://münchen.test/']) {
    try {
    const c = await registerClient(client.send, { redirect_uris: [uri] })
    const b = new UserAgent(client.send)
    await b.open(authorizationPath(c.id, { redirect_uri: uri }))
    await b.submit({ email: account.email, password: account.password })
    log(uri, [b.response?.status, b.response?.headers.get('content-security-policy'), /goes to <code>[^<]*/.exec(b.page)?.[0]])
    } catch (e) { log(uri, String(e)) }
  }
  // cc with openid only
  const cc = await registerClient(client.send, { scope: 'openid', grant_types: ['client_credentials'], response_types: [] , redirect_uris: []}, `Bearer ${account.token}`)
  await show('cc openid only', requestTokens(client.send, cc, { grant_type: 'client_credentials' }))
  // escalate
  const key = await client.sendJson('POST', '/me/api-keys', { scopes: ['write:account'] }, account)
  const { key: k } = await key.json() as any
  const r = await client.send('/oauth/register', { method: 'POST', headers: { 'x-api-key': k, 'content-type': 'application/json' }, body: JSON.stringify({ grant_types: ['client_credentials'] }) })
  const esc = await r.json() as any
  log('esc', esc)
  await show('esc tokens', requestTokens(client.send, { id: esc.client_id, secret: esc.client_secret }, { grant_type: 'client_credentials' }))
  // openid with redirect_uri missing
  await show('openid no redirect', client.get(authorizationPath(app.id, { redirect_uri: undefined, scope: 'openid' })))
  await show('GET token', client.get('/oauth/token'))
  await show('hint other user', client.get(authorizationPath(app.id, { id_token_hint: 'x' })))
  const forced = await client.get('/oauth/authorize', { Prefer: 'code=303' }); log('forced', [...forced.headers])
  await show('reg array', client.send('/oauth/register', {method:'POST', body: '[]', headers: {'content-type': 'application/json'}}))
  await show('reg form', client.send('/oauth/register', {method:'POST', body: new URLSearchParams({a:'b'})}))
  await show('reg nothing', client.send('/oauth/register', {method:'POST'}))
})
