import type { PopulatedServer, PopulatedServers } from './rounds.ts'
import { requestOf, type Work } from './works.ts'

/**
 * Checks, before anything is measured, that each request succeeds at each server.
 *
 * @throws Error that names the work and the server
 */
export async function requireSuccess(works: readonly Work[], populated: PopulatedServers): Promise<void> {
  for (const work of works) {
    for (const name of work.servers) {
      const { status, text } = await ask(work, populated[name])
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
export async function requireSameAnswers(works: readonly Work[], { galaxy, floor }: PopulatedServers): Promise<void> {
  for (const work of works.filter(({ servers }) => servers.includes('floor'))) {
    const [answer, expected] = [await describeAnswer(work, floor), await describeAnswer(work, galaxy)]
    if (answer !== expected) throw new Error(`${work.name}: Galaxy sends ${expected}, and the floor ${answer}`)
  }
}

async function describeAnswer(work: Work, populated: PopulatedServer): Promise<string> {
  const { status, text, type } = await ask(work, populated)
  return `${status}, ${type}, ${text.length} characters`
}

async function ask(work: Work, { server, world }: PopulatedServer) {
  const { path, ...init } = requestOf(work, world)
  const response = await fetch(new URL(path, server.url), init)
  return { status: response.status, type: response.headers.get('Content-Type'), text: await response.text() }
}
