// The work of a service after its responses. Test files share a runtime, so such work must end before the next file
// begins with its own database.

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
