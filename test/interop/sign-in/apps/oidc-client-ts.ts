import { createRequire } from 'node:module'
import express from 'express'
import { settings } from './settings.ts'

// The library in the browser, as its README has it: authority, id and redirect URI. It fetches the claims from the ID
// token.

const { issuer, clientId, port } = settings
const LIBRARY = createRequire(import.meta.url)
  .resolve('oidc-client-ts/package.json')
  .replace('package.json', 'dist/browser/oidc-client-ts.min.js')

const manager = `new oidc.UserManager(${JSON.stringify({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `http://localhost:${port}/callback`,
})})`

const page = (script: string) => `<!doctype html><pre id="shown"></pre><script src="/library.js"></script>
<script type="module">
const manager = ${manager}
const show = (value) => { document.querySelector('#shown').textContent = JSON.stringify(value) }
${script}
</script>`

const app = express()
app.get('/library.js', (_, response) => response.sendFile(LIBRARY))
app.get('/', (_, response) => {
  response.send(page('await manager.signinRedirect()'))
})
app.get('/callback', (_, response) => {
  response.send(page('show({ user: (await manager.signinCallback())?.profile })'))
})
// With an iframe and prompt=none, as it renews tokens by itself.
app.get('/silent', (_, response) => {
  response.send(page('show({ user: (await manager.signinSilent({ forceIframeAuth: true })).profile })'))
})
app.listen(port, 'localhost', () => console.log('ready'))
