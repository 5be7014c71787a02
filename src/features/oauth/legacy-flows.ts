/**
 * The grants and the response types that are only there if the operator has switched OAUTH_LEGACY_FLOWS on: an access token
 * in an address, and the password in the hands of a client (RFC 9700, sections 2.1.2 and 2.4). The grant type `implicit`
 * is not among them: it also stands for `id_token`, which brings no access token.
 */
const LEGACY: readonly string[] = ['password', 'token']

/** Of grants or response types those that are there. */
export function switchedOn<Name extends string>(names: readonly Name[], legacyFlows: boolean): Name[] {
  return names.filter((name) => legacyFlows || !LEGACY.includes(name))
}
