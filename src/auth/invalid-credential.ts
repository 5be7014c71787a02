/** A credential that does not prove who calls. */
export class InvalidCredential extends Error {
  override readonly name = 'InvalidCredential'
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>

  /** @param message A sentence with its full stop, like the detail of a ProblemError. It is sent unchanged. */
  constructor(message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.headers = headers
  }
}
