import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { entity } from '../../http/body.ts'
import { RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import { reply } from '../../http/reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { EXAMPLE_ORIGIN } from '../../lib/example-origin.ts'
import { JsonWebKeySet } from '../../schemas/json-web-key-set.ts'
import { Credentials, PasswordChange, SignUp, Token, User } from '../../schemas/user.ts'
import { changePassword } from './change-password.ts'
import { keyRoutes } from './key-routes.ts'
import { meRoutes } from './me-routes.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { signingSecretRoutes } from './signing-secret.ts'

const createUser = defineRoute({
  method: 'post',
  path: '/user/signup',
  operationId: 'createUser',
  tag: 'Authentication',
  summary: 'Create a user',
  description:
    'Makes an account. No credentials are needed, but those that are sent have to be valid. How many come from one address in an hour is limited.',
  security: [],
  refusesBadCredentials: true,
  body: entity(SignUp),
  responses: {
    201: {
      description: 'The new user',
      schema: User,
      headers: ['Location', ...RATE_LIMIT_HEADERS],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/me` },
    },
  },
  problems: ['signup-closed', 'conflict', 'unprocessable-content', 'too-many-requests'],
  async handle({ body }, context) {
    const { user, headers } = await signUp(body, context)
    return reply(201, user, { ...headers, Location: `${context.baseUrl}/me` })
  },
})

const getToken = defineRoute({
  method: 'post',
  path: '/auth/token',
  operationId: 'getToken',
  tag: 'Authentication',
  summary: 'Get a token',
  description:
    'Gives a token for the e-mail and the password of an account. Send it as `Authorization: Bearer …` for an hour. An unknown e-mail and a wrong password are answered alike.',
  security: [],
  body: entity(Credentials),
  responses: { 201: { description: 'A token for an hour', schema: Token, headers: RATE_LIMIT_HEADERS } },
  problems: ['unauthorized', 'account-suspended', 'too-many-requests'],
  async handle({ body }, context) {
    const { token, headers } = await signIn(body, context)
    return reply(201, token, headers)
  },
})

const setPassword = defineRoute({
  method: 'put',
  path: '/me/password',
  operationId: 'setPassword',
  tag: 'Authentication',
  summary: 'Change your password',
  description:
    'Gives your account a new password. Everything that was made under the old one ends at once: tokens, API keys, what you have allowed OAuth clients, and browsers that are signed in. The credential of this request too, unless it is the new password itself.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  body: entity(PasswordChange),
  responses: { 204: { description: 'The account has the new password' } },
  problems: ['forbidden', 'unprocessable-content', 'too-many-requests'],
  async handle({ body, caller }, context) {
    await changePassword(body, caller, context)
    return reply(204)
  },
})

const getPublicKeys = defineRoute({
  method: 'get',
  path: '/.well-known/jwks.json',
  operationId: 'getPublicKeys',
  tag: 'Documents',
  summary: 'Get the keys that verify tokens',
  description: 'The public keys of the service as a JSON Web Key Set (RFC 7517). Each token names its key by `kid`.',
  since: '2.0.0',
  formats: ['json'],
  security: [],
  responses: { 200: { description: 'A JSON Web Key Set', schema: JsonWebKeySet } },
  async handle(_, { services }) {
    return reply(200, services.tokens.publicKeys)
  },
})

export const accountRoutes: readonly Route[] = [
  createUser,
  getToken,
  ...meRoutes,
  setPassword,
  ...keyRoutes,
  ...signingSecretRoutes,
  getPublicKeys,
]
