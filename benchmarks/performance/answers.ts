import type { Place, Places } from './rounds.ts'
import { requestOf, type Work } from './works.ts'

/**
 * Checks, before anything is measured, that each request succeeds at each server.
 *
 * @throws Error that names the work and the server
 */
export async function requireSuccess(works: readonly Work[], places: Places): Promise<void> {
  for (const work of works) {
    for (const name of work.servers) {
      const { status, text } = await ask(work, places[name])
      if (status !== work.status)
        throw new Error(`${work.name} at ${name}: ${status} instead of ${work.status}: ${text}`)
    }
  }
}

/**
 * Checks that the floor sends what Galaxy sends. Otherwise its figures would not be those of the same work.
 *
 * @throws Error that names the work
 */
export async function requireSameAnswers(works: readonly Work[], { galaxy, floor }: Places): Promise<void> {
  for (const work of works.filter(({ servers }) => servers.includes('floor'))) {
    const [answer, expected] = [await describeAnswer(work, floor), await describeAnswer(work, galaxy)]
    if (answer !== expected) throw new Error(`${work.name}: Galaxy sends ${expected}, and the floor ${answer}`)
  }
}

async function describeAnswer(work: Work, place: Place): Promise<string> {
  const { status, text, type } = await ask(work, place)
  return `${status}, ${type}, ${text.length} characters`
}

async function ask(work: Work, { server, world }: Place) {
  const { path, ...init } = requestOf(work, world)
  const response = await fetch(new URL(path, server.url), init)
  return { status: response.status, type: response.headers.get('Content-Type'), text: await response.text() }
}
