import { keysOf } from '../lib/keys.ts'
import { bearer } from './bearer.ts'
import type { Scheme } from './scheme.ts'

/** THE table of security schemes. A route names those that it accepts. */
export const SCHEMES = {
  bearerAuth: bearer,
} as const satisfies Record<string, Scheme>

export type SchemeName = keyof typeof SCHEMES

export const ALL_SCHEMES: readonly SchemeName[] = keysOf(SCHEMES)
