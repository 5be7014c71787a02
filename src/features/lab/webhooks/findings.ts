/**
 * Registry: what can be wrong with a message of Standard Webhooks, in the order in which it is reported. Of several
 * explanations of a signature with equally many deviations, the first one counts.
 */
export const FINDINGS = {
  'missing-header': 'A header of Standard Webhooks is absent or empty.',
  'timestamp-form': 'webhook-timestamp must be whole seconds since 1970: [1-9][0-9]{0,11}.',
  milliseconds: 'webhook-timestamp has 13 digits, so it counts milliseconds. It must count seconds.',
  stale: 'webhook-timestamp is more than 300 seconds before the time of verification.',
  future: 'webhook-timestamp is more than 300 seconds after the time of verification.',
  hex: 'The signature is written in hexadecimal digits. It must be in base64.',
  base64url: 'The signature is in the alphabet of base64url, or lacks padding. It must be in base64 with padding.',
  'key-not-decoded': 'The key is the text of the secret. It must be the bytes that the base64 after whsec_ encodes.',
  'id-unsigned': 'webhook-id and the dot after it are not in what was signed.',
  'time-unsigned': 'webhook-timestamp and the dot after it are not in what was signed.',
  newline: 'What was signed has one line break more or less at the end than the body.',
  'body-rewritten':
    'What was signed is the JSON of the body, parsed and written again. It must be the bytes themselves.',
  truncated: 'The signature is only the beginning of the right one.',
  'unknown-version': 'The right signature stands after another version.',
  'no-version': 'The right signature stands there without its version and the comma.',
  'wrong-scheme': 'All signatures are of the other scheme: v1 needs a secret, and v1a a public key.',
  'other-secret': 'No signature is right, and nothing above explains one: another secret, or other bytes.',
} as const satisfies Record<string, string>

export type FindingCode = keyof typeof FINDINGS

export const FINDING_CODES = Object.keys(FINDINGS) as [FindingCode, ...FindingCode[]]

export interface Finding {
  code: FindingCode
  /** Never contains anything of the message. */
  detail: string
}

export const rankOf = (code: FindingCode): number => FINDING_CODES.indexOf(code)
