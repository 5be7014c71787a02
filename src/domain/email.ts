/** The form of an e-mail address by which accounts are compared: upper and lower case do not matter. */
export function normaliseEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}
