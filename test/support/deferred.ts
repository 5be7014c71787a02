// The work of a service after its responses. Test files share a runtime: such work must not continue in the database of
// the next.

const works = new Set<Promise<unknown>>()

/** Makes the end of a test file wait for some work. */
export function noteDeferred(work: Promise<unknown>): void {
  const forget = () => works.delete(work)
  works.add(work)
  work.then(forget, forget)
}

export async function finishDeferred(): Promise<void> {
  await Promise.allSettled(works)
}
