/** A credential that proves nothing; the message is for its bearer. */
export class InvalidCredential extends Error {
  override readonly name = 'InvalidCredential'
}
