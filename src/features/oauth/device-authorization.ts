import { doc } from '#doc'
import { deviceCodeLimit, rateLimitHeaders, spendAttempt } from '../../auth/limits.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { form } from '../../http/body/form.ts'
import { RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { widerNetwork } from '../../lib/client-address.ts'
import { DEVICE_CODE_GRANT } from '../../schemas/client.ts'
import { DeviceAuthorization, DeviceAuthorizationParameters } from '../../schemas/oauth.ts'
import { chooseGrantableScopes, REPEATABLE } from './authorization-parameters.ts'
import { requireGrantType } from './client.ts'
import { authenticateForTokens, refuseClient } from './client-authentication.ts'
import { insertDeviceCode, POLL_INTERVAL_SECONDS } from './device-code-queries.ts'
import { OAUTH_FAILURES, OAUTH_LIMITED, OAUTH_UNAUTHORIZED } from './responses.ts'
import { makeUserCode, showUserCode } from './user-code.ts'

/** The device authorization endpoint (RFC 8628, section 3.1). */
export const authorizeDevice = defineRoute({
  method: 'post',
  path: '/oauth/device',
  operationId: 'authorizeDevice',
  tag: 'OAuth',
  summary: 'Get a code for a device',
  description: doc(
    'Begins the device flow of OAuth 2.0 (RFC 8628), for devices without a browser. The device shows the user code and the address of a page. The user opens this page with another device, types the code, signs in and decides. Meanwhile the client asks /oauth/token again and again. The client must be registered for the grant type `urn:ietf:params:oauth:grant-type:device_code`.',
  ),
  since: '2.0.0',
  errorStyle: 'oauth',
  security: [],
  body: form(DeviceAuthorizationParameters, [REPEATABLE]),
  responses: {
    200: { description: doc('The codes'), schema: DeviceAuthorization, headers: [...RATE_LIMIT_HEADERS] },
    ...OAUTH_FAILURES,
    ...OAUTH_UNAUTHORIZED,
    ...OAUTH_LIMITED,
  },
  async handle({ body: parameters }, context) {
    const client = await authenticateForTokens(parameters, context)
    requireGrantType(client, DEVICE_CODE_GRANT)
    const scopes = chooseGrantableScopes(parameters, client, 'code')
    const { session, services, clientAddress, baseUrl, now } = context
    const state = await spendAttempt(session, deviceCodeLimit(services.config, clientAddress), now)
    const deviceCode = makeSecret()
    const expiresIn = services.config.deviceCodeSeconds
    const userCode = await storeDeviceCode(
      {
        hash: await hashSecret(deviceCode),
        clientId: client.id,
        scopes,
        network: widerNetwork(clientAddress),
        expiresAt: new Date(now.getTime() + expiresIn * 1000),
      },
      context,
    )
    if (userCode === undefined) {
      const method = client.metadata.token_endpoint_auth_method
      throw refuseClient('The client was deleted during this request.', method, baseUrl)
    }
    const page = `${baseUrl}/device`
    const codes = {
      device_code: deviceCode,
      user_code: showUserCode(userCode),
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${showUserCode(userCode)}`,
      expires_in: expiresIn,
      interval: POLL_INTERVAL_SECONDS,
    }
    return reply(200, codes, rateLimitHeaders(state))
  },
})

/** @returns A user code that no other waiting device has; undefined if the client was deleted meanwhile */
async function storeDeviceCode(
  code: Omit<Parameters<typeof insertDeviceCode>[1], 'userCode'>,
  { session, now }: RequestContext,
): Promise<string | undefined> {
  for (;;) {
    const userCode = makeUserCode()
    const outcome = await insertDeviceCode(session, { ...code, userCode }, now)
    if (outcome !== 'taken') return outcome && userCode
  }
}
