import { keysOf } from '../lib/objects.ts'
import { apiKeyCookie, apiKeyHeader, apiKeyQuery } from './api-key.ts'
import { basic } from './basic.ts'
import { bearer } from './bearer.ts'
import { oAuth2 } from './oauth2.ts'
import { openIdConnect } from './openid-connect.ts'
import type { Scheme } from './scheme.ts'

/**
 * Registry: security schemes. A route names the schemes that it accepts. If a request contains several credentials,
 * they are tried in this order, and the first valid one is used.
 */
export const SCHEMES = {
  bearerAuth: bearer,
  basicAuth: basic,
  apiKeyQuery,
  apiKeyHeader,
  apiKeyCookie,
  oAuth2,
  openIdConnect,
} as const satisfies Record<string, Scheme>

export type SchemeName = keyof typeof SCHEMES

export const ALL_SCHEMES: readonly SchemeName[] = keysOf(SCHEMES)
