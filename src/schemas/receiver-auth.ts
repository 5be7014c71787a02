import * as z from 'zod'
import { doc } from '#doc'
import { HttpUrl, text } from './fields.ts'

const SECRET_MAX = 2048
/** The characters that the name of a header or a cookie can have (`token` in RFC 9110, section 5.6.2). */
const FIELD_NAME = /^[A-Za-z0-9_!#$%&'*+.^`|~-]+$/
/** Headers that a subscriber cannot set, because the service or the platform sets them. */
const RESERVED_HEADERS =
  /^(?:accept|accept-encoding|authorization|connection|content-.*|cookie|expect|host|keep-alive|mf-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|x-signature|x-galaxy-.*|webhook-.*|cf-.*|x-forwarded-.*|proxy-.*|sec-.*)$/i

/** Visible ASCII characters, with spaces only between them. */
const HEADER_SECRET = /^[!-~](?:[ -~]*[!-~])?$/

/** A secret that is sent in a header unchanged. */
const headerSecret = matching(
  text(1, SECRET_MAX),
  HEADER_SECRET,
  'must contain only visible ASCII characters, with spaces only between them',
)

const secret = text(1, SECRET_MAX)
const fieldName = z.string().max(100, 'must have at most 100 characters')

const headerName = matching(fieldName, FIELD_NAME, 'must be the name of a header (RFC 9110)').refine(
  (name) => !RESERVED_HEADERS.test(name),
  'is a header that the service sets itself',
)

const cookieName = matching(fieldName, FIELD_NAME, 'must be the name of a cookie (RFC 6265)')

/**
 * The characters of a cookie value (`cookie-octet` in RFC 6265, section 4.1.1): visible ASCII, except double quotes,
 * commas, semicolons and backslashes.
 */
const COOKIE_VALUE = /^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]+$/

const cookieValue = matching(
  text(1, SECRET_MAX),
  COOKIE_VALUE,
  'must contain only visible ASCII characters, without double quotes, commas, semicolons and backslashes (RFC 6265)',
)

/** A text that matches a pattern, which the document shows. */
function matching(schema: z.ZodString, pattern: RegExp, fault: string) {
  return schema.refine((value) => pattern.test(value), fault).meta({ pattern: pattern.source })
}

const clientCredentials = {
  clientId: text(1, 500).meta({ examples: ['galaxy'] }),
  clientSecret: secret.meta({ examples: ['s3cr3t'] }),
}

const example = (name: string) => ({ examples: [name] })

/** Registry: schemes by which a call authenticates to a receiver. OpenAPI has a security scheme for each. */
const RECEIVER_SCHEMES = [
  z
    .strictObject({
      scheme: z.literal('basicAuth'),
      username: matching(text(1, 500), /^[^:]*$/, 'must not contain a colon (RFC 7617)').meta({ examples: ['galaxy'] }),
      password: secret.meta({ examples: ['s3cr3t'] }),
    })
    .meta({ id: 'BasicReceiverAuth' }),
  z
    .strictObject({ scheme: z.literal('bearerAuth'), token: headerSecret.meta({ examples: ['s3cr3t'] }) })
    .meta({ id: 'BearerReceiverAuth' }),
  z
    .strictObject({
      scheme: z.literal('apiKeyHeader'),
      name: headerName
        .meta({
          description: doc('The name of the header: none that the service sets itself'),
          examples: ['X-API-Key'],
        })
        .default('X-API-Key'),
      key: headerSecret,
    })
    .meta({ id: 'HeaderKeyReceiverAuth' }),
  z
    .strictObject({
      scheme: z.literal('apiKeyQuery'),
      name: text(1, 100).meta(example('api_key')).default('api_key'),
      key: secret,
    })
    .meta({ id: 'QueryKeyReceiverAuth' }),
  z
    .strictObject({
      scheme: z.literal('apiKeyCookie'),
      name: cookieName.meta(example('api_key')).default('api_key'),
      key: cookieValue,
    })
    .meta({ id: 'CookieKeyReceiverAuth' }),
  z
    .strictObject({
      scheme: z.literal('oAuth2'),
      tokenUrl: HttpUrl.meta({ description: doc('The token endpoint'), examples: ['https://id.example/token'] }),
      ...clientCredentials,
      scope: text(1, 1000)
        .meta({ description: doc('The scope that the token request asks for'), examples: ['events:write'] })
        .optional(),
    })
    .meta({ id: 'OAuth2ReceiverAuth' }),
  z
    .strictObject({
      scheme: z.literal('openIdConnect'),
      issuer: HttpUrl.meta({
        description: doc('The issuer. Its discovery document names the token endpoint.'),
        examples: ['https://id.example'],
      }),
      ...clientCredentials,
    })
    .meta({ id: 'OpenIdReceiverAuth' }),
] as const

const SCHEME_FAULT = `must be one of ${RECEIVER_SCHEMES.map(({ shape }) => shape.scheme.value).join(', ')}`

export const ReceiverAuth = z.discriminatedUnion('scheme', RECEIVER_SCHEMES, SCHEME_FAULT).meta({
  id: 'ReceiverAuth',
  description: doc(
    'How each call authenticates itself to the receiver. The service stores the credentials encrypted and never shows them again. With oAuth2 and openIdConnect, the service gets a token from the token endpoint with the client credentials grant (RFC 6749, section 4.4). It sends the client id and secret with HTTP Basic, and keeps the token until the token expires.',
  ),
})

export const ReceiverScheme = z
  .enum(RECEIVER_SCHEMES.map((schema) => schema.shape.scheme.value))
  .meta({ id: 'ReceiverScheme', description: doc('A scheme by which a call authenticates itself') })

export type ReceiverAuth = z.infer<typeof ReceiverAuth>
export type ReceiverScheme = ReceiverAuth['scheme']
