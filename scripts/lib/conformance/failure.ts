import { hideSecrets } from './secrets.ts'

/** What a check found to be wrong. */
export class Failure extends Error {
  readonly expected: string
  readonly actual: string
  /** The request that got a wrong response; undefined if the fault is not in a response. */
  readonly request: string | undefined

  constructor(expected: string, actual: string, request?: string) {
    super(hideSecrets(`expected ${expected}, but got ${actual}`))
    this.expected = hideSecrets(expected)
    this.actual = hideSecrets(actual)
    this.request = request === undefined ? undefined : hideSecrets(request)
  }
}

/** There was no response, or not all of it. */
export class NoAnswer extends Failure {}

/** A row cannot be tried at this address. So the check has neither passed nor failed. */
export class NotTried extends Error {}
