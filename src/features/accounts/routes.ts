import { doc } from '#doc'
import { createAccount } from '../../auth/create-account.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { entity } from '../../http/body/entity.ts'
import { RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { JsonWebKeySet } from '../../schemas/json-web-key-set.ts'
import { Credentials, PasswordChange, presentUser, SignUp, Token, User } from '../../schemas/user.ts'
import { keyRoutes } from './api-key-routes.ts'
import { changePassword } from './change-password.ts'
import { meRoutes } from './me-routes.ts'
import { signIn } from './sign-in.ts'
import { signingSecretRoutes } from './signing-secret.ts'

const createUser = defineRoute({
  method: 'post',
  path: '/user/signup',
  operationId: 'createUser',
  tag: 'Authentication',
  summary: 'Create a user',
  description: doc(
    'Creates an account. No credentials are required, but if you send any, they must be valid. The number of accounts that one address can create per hour is limited.',
  ),
  security: [],
  refusesBadCredentials: true,
  body: entity(SignUp),
  responses: {
    201: {
      description: doc('The new user'),
      schema: User,
      headers: ['Location', ...RATE_LIMIT_HEADERS],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/me` },
      links: {
        GetMe: {
          operationId: 'getMe',
          description: doc('The account, for requests with its credentials'),
        },
      },
    },
  },
  problems: ['signup-closed', 'conflict', 'unprocessable-content', 'too-many-requests'],
  async handle({ body }, context) {
    const { account, headers } = await createAccount(body, context)
    return reply(201, presentUser(account), { ...headers, Location: `${context.baseUrl}/me` })
  },
})

const getToken = defineRoute({
  method: 'post',
  path: '/auth/token',
  operationId: 'getToken',
  tag: 'Authentication',
  summary: 'Get a token',
  description: doc(
    'Returns a token in exchange for the e-mail address and the password of an account. Send the token as `Authorization: Bearer …`. It is valid for one hour. An unknown e-mail address and a wrong password get the same response.',
  ),
  security: [],
  body: entity(Credentials),
  responses: {
    201: { description: doc('A token that is valid for one hour'), schema: Token, headers: RATE_LIMIT_HEADERS },
  },
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
  description: doc(
    'Changes the password of your account. Everything created under the old password stops working immediately: tokens, API keys, grants to OAuth clients, and sign-ins in browsers. The credential of this request stops working too, unless you use Basic authentication and the new password is the same as the old one.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  body: entity(PasswordChange),
  responses: { 204: { description: doc('The password was changed') } },
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
  summary: 'Get the keys for verifying tokens',
  description: doc(
    'Returns the public keys of the service as a JSON Web Key Set (RFC 7517). Each token names its key in `kid`.',
  ),
  since: '2.0.0',
  formats: ['json'],
  security: [],
  responses: { 200: { description: doc('A JSON Web Key Set'), schema: JsonWebKeySet } },
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
