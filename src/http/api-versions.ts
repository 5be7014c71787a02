import { ProblemError } from '../domain/problems.ts'
import type { HonoContext } from './pipeline/context.ts'

/** Registry: the API versions. The first one is the default. Both behave the same. */
export const API_VERSIONS = ['2.0.0', '1.0.0'] as const

export type ApiVersion = (typeof API_VERSIONS)[number]

export const CURRENT_API_VERSION: ApiVersion = API_VERSIONS[0]

/** The API version of the response: the version that the request names, if it exists, otherwise the default. */
export function apiVersionOfResponse(headers: Headers): ApiVersion {
  return findApiVersion(headers) ?? CURRENT_API_VERSION
}

export function requireKnownApiVersion(c: HonoContext): void {
  if (!findApiVersion(c.req.raw.headers)) {
    throw new ProblemError('bad-request', `API-Version must be ${API_VERSIONS.join(' or ')}.`)
  }
}

function findApiVersion(headers: Headers): ApiVersion | undefined {
  const requestedVersion = headers.get('API-Version') ?? CURRENT_API_VERSION
  return API_VERSIONS.find((apiVersion) => apiVersion === requestedVersion)
}
