import express from 'express'
import * as openid from 'openid-client'
import { settings } from './settings.ts'

// The quick start of openid-client. Http has to be allowed by its option for that.

const { issuer, clientId, clientSecret, port } = settings
const origin = `http://localhost:${port}`
const options = { execute: [openid.allowInsecureRequests] }
const configuration = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, options)
const verifier = openid.randomPKCECodeVerifier()
const challenge = await openid.calculatePKCECodeChallenge(verifier)

const app = express()
app.get('/', (_, response) => {
  const parameters = {
    redirect_uri: `${origin}/callback`,
    scope: 'openid profile email',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  response.redirect(openid.buildAuthorizationUrl(configuration, parameters).href)
})
app.get('/callback', async (request, response) => {
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  const tokens = await openid.authorizationCodeGrant(configuration, new URL(request.url, origin), checks)
  response.json({ user: tokens.claims() })
})
app.listen(port, 'localhost', () => console.log('ready'))
