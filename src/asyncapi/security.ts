import type { SchemeName } from '../auth/schemes.ts'
import { keysOf, membersOf } from '../lib/objects.ts'
import { SECURITY_SCHEMES } from '../openapi/security.ts'
import type { Schema } from '../openapi/types.ts'

const IN_BROWSERS =
  'Browsers cannot set this header for a socket. They ask for the subprotocol `bearer.` followed by the token instead (`Sec-WebSocket-Protocol`).'

const ON_SOCKETS: Partial<Record<SchemeName, string>> = {
  bearerAuth: IN_BROWSERS,
  oAuth2: IN_BROWSERS,
  openIdConnect: IN_BROWSERS,
  apiKeyCookie: 'On a socket it only counts if `Origin` is that of this service, or if there is none.',
}

/** The security schemes of the interface, as AsyncAPI writes them (3.0.0, Security Scheme Object). */
export function securitySchemes(): Record<string, Schema> {
  return Object.fromEntries(keysOf(SECURITY_SCHEMES).map((name) => [name, describeScheme(name)]))
}

function describeScheme(name: SchemeName): Schema {
  const { description, ...scheme }: Schema & { description: string } = SECURITY_SCHEMES[name]
  const described = { ...scheme, description: [description, ON_SOCKETS[name] ?? []].flat().join(' ') }
  // In AsyncAPI, `apiKey` is the user or the password of a broker.
  if (scheme.type === 'apiKey') return { ...described, type: 'httpApiKey' }
  return scheme.flows ? { ...described, flows: renameScopes(scheme.flows) } : described
}

function renameScopes(flows: unknown): Schema {
  const renamed = Object.entries(membersOf(flows)).map(([flow, members]) => {
    const { scopes: availableScopes, ...others } = membersOf(members)
    return [flow, { ...others, availableScopes }]
  })
  return Object.fromEntries(renamed)
}
