import type { Place, Places } from './rounds.ts'
import { requestOf, type Work } from './works.ts'

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

async function describeAnswer(work: Work, { server, world }: Place): Promise<string> {
  const { path, ...init } = requestOf(work, world)
  const response = await fetch(new URL(path, server.url), init)
  const { byteLength } = await response.arrayBuffer()
  return `${response.status}, ${response.headers.get('Content-Type')}, ${byteLength} bytes`
}
