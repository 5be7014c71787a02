/** The form of an e-mail that accounts are compared by: one address in any case is one account. */
export function normaliseEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}
