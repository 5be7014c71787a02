import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { entity } from '../../http/body.ts'
import { defineRoute, type Route, reply } from '../../http/route.ts'
import { JsonWebKeySet } from '../../schemas/json-web-key-set.ts'
import { Credentials, presentUser, SignUp, Token, User } from '../../schemas/user.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'

const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const createUser = defineRoute({
  method: 'post',
  path: '/user/signup',
  operationId: 'createUser',
  summary: 'Create a user',
  security: [],
  refusesBadCredentials: true,
  body: entity(SignUp),
  responses: { 201: { description: 'The new user', schema: User, headers: ['Location', ...RATE_LIMIT_HEADERS] } },
  async handle({ body }, context) {
    const { user, headers } = await signUp(body, context)
    return reply(201, user, { ...headers, Location: `${context.baseUrl}/me` })
  },
})

const getToken = defineRoute({
  method: 'post',
  path: '/auth/token',
  operationId: 'getToken',
  summary: 'Get a token',
  security: [],
  body: entity(Credentials),
  responses: { 201: { description: 'A token for an hour', schema: Token, headers: RATE_LIMIT_HEADERS } },
  async handle({ body }, context) {
    const { token, headers } = await signIn(body, context)
    return reply(201, token, headers)
  },
})

const getMe = defineRoute({
  method: 'get',
  path: '/me',
  operationId: 'getMe',
  summary: 'Get authenticated user',
  security: ALL_SCHEMES,
  responses: { 200: { description: 'The authenticated user', schema: User } },
  async handle({ caller }) {
    return reply(200, presentUser(caller))
  },
})

const getPublicKeys = defineRoute({
  method: 'get',
  path: '/.well-known/jwks.json',
  operationId: 'getPublicKeys',
  summary: 'Get the keys that verify tokens',
  security: [],
  responses: { 200: { description: 'A JSON Web Key Set', schema: JsonWebKeySet } },
  async handle(_, { services }) {
    return reply(200, services.tokens.publicKeys)
  },
})

export const accountRoutes: readonly Route[] = [createUser, getToken, getMe, getPublicKeys]
