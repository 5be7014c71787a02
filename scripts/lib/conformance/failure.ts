import { hideSecrets } from './secrets.ts'

/** What a check found to be wrong. */
export class Failure extends Error {
  readonly expected: string
  readonly came: string
  /** The request that was answered wrongly; undefined if none was. */
  readonly request: string | undefined

  constructor(expected: string, came: string, request?: string) {
    super(hideSecrets(`expected ${expected}; came ${came}`))
    this.expected = hideSecrets(expected)
    this.came = hideSecrets(came)
    this.request = request === undefined ? undefined : hideSecrets(request)
  }
}

/** There was no response, or not all of it. */
export class NoAnswer extends Failure {}

/** Something cannot be tried at this address. It is neither kept nor broken. */
export class NotTried extends Error {}
