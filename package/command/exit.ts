/** Why the command ends, as its exit code. */
export const EXIT = { told: 0, failed: 1, arguments: 2, port: 3, folder: 4, disk: 5, node: 6, gate: 7 } as const

export type Reason = keyof typeof EXIT

/** A failure that the user can do something about. Its message says what. */
export class Failure extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** What the system says if there is no room. The last is a limit on the size of files. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** SQLite's result code for the same. */
const SQLITE_FULL = 13

export function failureIn(folder: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const { code = '', errcode, message } = error as NodeJS.ErrnoException & { errcode?: number }
  const isFull = FULL.includes(code) || errcode === SQLITE_FULL
  return isFull
    ? new Failure('disk', `There is no room for ${folder}: ${message}`)
    : new Failure('folder', `The folder ${folder} cannot be used: ${message}`)
}
