import express from 'express'
import connect from 'express-openid-connect'
import { settings } from './settings.ts'

// As its README has it: issuer, id, its own address and a secret of its own. It asks for an ID token without a code,
// which the browser posts to it.

const { issuer, clientId, port } = settings

const app = express()
app.use(
  connect.auth({
    issuerBaseURL: issuer,
    baseURL: `http://localhost:${port}`,
    clientID: clientId,
    secret: 'a secret of this application, for its session cookie',
  }),
)
app.get('/', (request, response) => {
  response.json({ user: request.oidc.user })
})
app.listen(port, 'localhost', () => console.log('ready'))
