/**
 * The grant and response types that exist only if the operator has enabled OAUTH_LEGACY_FLOWS. They put an access token
 * into a URL, or give a password to a client (RFC 9700, sections 2.1.2 and 2.4). The grant type `implicit` is
 * not in this list, because the response type `id_token`, which gives no access token, requires it too.
 */
const LEGACY_TYPES: readonly string[] = ['password', 'token']

/** Returns the grant types or response types that are enabled, and leaves out the others. */
export function keepEnabledTypes<Name extends string>(names: readonly Name[], legacyFlows: boolean): Name[] {
  return names.filter((name) => legacyFlows || !LEGACY_TYPES.includes(name))
}
