import type { SchemeName } from '../../src/auth/schemes.ts'
import { keysOf, membersOf } from '../../src/lib/objects.ts'
import { SECURITY_SCHEMES } from '../openapi/security.ts'
import type { Schema } from '../openapi/types.ts'

const IN_BROWSERS =
  'Browsers cannot set this header for a socket. They ask for the subprotocol `bearer.` followed by the token instead (`Sec-WebSocket-Protocol`).'

/** Differences of the security schemes on sockets. */
const ON_SOCKETS: Partial<Record<SchemeName, string>> = {
  bearerAuth: IN_BROWSERS,
  oAuth2: IN_BROWSERS,
  openIdConnect: IN_BROWSERS,
  apiKeyCookie: 'On a socket, the cookie only counts if `Origin` is the origin of this service, or is absent.',
}

/** The security schemes of the interface, as AsyncAPI writes them (3.0.0, Security Scheme Object). */
export function securitySchemes(): Record<string, Schema> {
  return Object.fromEntries(keysOf(SECURITY_SCHEMES).map((name) => [name, describeScheme(name)]))
}

function describeScheme(name: SchemeName): Schema {
  const { description, ...scheme }: Schema & { description: string } = SECURITY_SCHEMES[name]
  const onSockets = ON_SOCKETS[name]
  const described = { ...scheme, description: onSockets ? `${description} ${onSockets}` : description }
  // In AsyncAPI, `apiKey` means the user name or the password of a message broker.
  if (scheme.type === 'apiKey') return { ...described, type: 'httpApiKey' }
  return scheme.flows ? { ...described, flows: renameScopes(scheme.flows) } : described
}

/** The scopes of a flow have the name `scopes` in OpenAPI, but `availableScopes` in AsyncAPI. */
function renameScopes(flows: unknown): Schema {
  const renamed = Object.entries(membersOf(flows)).map(([flow, members]) => {
    const { scopes: availableScopes, ...others } = membersOf(members)
    return [flow, { ...others, availableScopes }]
  })
  return Object.fromEntries(renamed)
}
