/** What can be wrong with a token of the laboratory (docs/universes.md). */
export const TOKEN_DEFECTS = [
  'expired',
  'not-yet-valid',
  'revoked',
  'no-scope',
  'wrong-issuer',
  'wrong-audience',
  'wrong-type',
  'bad-signature',
  'unknown-kid',
  'alg-none',
  'hs256',
] as const

export type TokenDefect = (typeof TOKEN_DEFECTS)[number]
