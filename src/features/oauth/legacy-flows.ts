/** The grants and the response types that are only there where the operator has OAUTH_LEGACY_FLOWS switched on. */
const LEGACY: readonly string[] = ['implicit', 'password', 'token']

/** Of grants or response types those that are there. */
export function switchedOn<Name extends string>(names: readonly Name[], legacyFlows: boolean): Name[] {
  return names.filter((name) => legacyFlows || !LEGACY.includes(name))
}
