import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'
import { settings } from './settings.ts'

// Auth.js, as https://authjs.dev/getting-started/providers/custom-provider has it: issuer, id and secret, and
// AUTH_SECRET.

const { issuer, clientId, clientSecret, port } = settings
const config = {
  providers: [{ id: 'galaxy', name: 'Galaxy', type: 'oidc' as const, issuer, clientId, clientSecret }],
  secret: 'a secret of this application, for its session cookie',
  trustHost: true,
}

const app = express()
// Its README has '/auth/*', of which Express 5 makes another parameter.
app.use(/^\/auth\/(.+)$/, ExpressAuth(config))
app.get('/', async (request, response) => {
  response.json({ user: (await getSession(request, config))?.user })
})
app.listen(port, 'localhost', () => console.log('ready'))
