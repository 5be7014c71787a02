// What a service does after its answers. Test files share a runtime: the work of one must not go on in the database of the next.

const works = new Set<Promise<unknown>>()

/** Lets the end of a test file wait for a work. */
export function noteDeferred(work: Promise<unknown>): void {
  const forget = () => works.delete(work)
  works.add(work)
  work.then(forget, forget)
}

export async function finishDeferred(): Promise<void> {
  await Promise.allSettled(works)
}
