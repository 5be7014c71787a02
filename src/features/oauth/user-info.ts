import { doc } from '#doc'
import { describeUser } from '../../auth/user-claims.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { UserInfo } from '../../schemas/oauth.ts'

const defineUserInfoRoute = (method: 'get' | 'post', operationId: string): Route =>
  defineRoute({
    method,
    path: '/oauth/userinfo',
    operationId,
    tag: 'OAuth',
    summary: 'Get the claims of the user',
    description: doc(
      'Returns the claims that the user allowed the client to see (OpenID Connect Core 1.0, section 5.3).',
    ),
    since: '2.0.0',
    formats: ['json'],
    security: ['oAuth2'],
    scope: 'openid',
    responses: { 200: { component: 'UserClaims', description: doc('The user'), schema: UserInfo } },
    async handle({ caller }) {
      return reply(200, describeUser(caller, caller.scopes))
    },
  })

/** The UserInfo endpoint, with both methods that the standard requires. */
export const userInfoRoutes: readonly Route[] = [
  defineUserInfoRoute('get', 'getUserInfo'),
  defineUserInfoRoute('post', 'postUserInfo'),
]
