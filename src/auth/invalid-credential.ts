/** The error for a credential that does not authenticate the caller, because it is not valid. */
export class InvalidCredential extends Error {
  override readonly name = 'InvalidCredential'
  readonly headers: Readonly<Record<string, string>>

  /**
   * @param message A sentence with a full stop, like the detail of a ProblemError. It is sent to the caller unchanged.
   */
  constructor(message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.headers = headers
  }
}
