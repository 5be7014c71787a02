export class NoResultInTime extends Error {
  override readonly name = 'NoResultInTime'
}

/**
 * Waits for the result of some work, but not longer than a limit. After the limit, the work itself goes on.
 *
 * @throws NoResultInTime after the limit; any error that the work throws in time
 */
export async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  { wait }: { wait(milliseconds: number): Promise<void> },
): Promise<Result> {
  return await Promise.race([work, failAfter(milliseconds, wait)])
}

async function failAfter(milliseconds: number, wait: (milliseconds: number) => Promise<void>): Promise<never> {
  await wait(milliseconds)
  throw new NoResultInTime(`no result within ${milliseconds} ms`)
}
