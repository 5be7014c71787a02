/** Why tokens are refused, in sentences that may be sent to their bearer. */
export const TOKEN_FAULTS = {
  expired: 'The token has expired.',
  early: 'The token is not valid yet.',
  issuer: 'The issuer of the token is not accepted.',
  audience: 'The token is for another audience.',
  type: 'The token has the wrong type.',
  algorithm: 'The algorithm of the token is not accepted.',
  signature: 'The signature of the token is not valid.',
  key: 'The token is signed with an unknown key.',
  grant: 'The grant of this token was revoked, or the user has a new password.',
} as const
