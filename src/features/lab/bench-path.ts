import { GROUPS } from '../../../laboratory/case.ts'

export interface BenchPlace {
  /** The run that records it; undefined at the bench that keeps nothing. */
  runId: string | undefined
  /** The id of the case. There may be no such case. */
  id: string
  /** The path after the name of the case, with the slash before it, not decoded; empty if there is none. */
  rest: string
  /** The query without its question mark, not decoded. */
  query: string
}

// Hops make one slash of several, and clients make two of a base URL that ends in one.
const PATH = String.raw`\/lab\/(?:try|runs\/([^/?]+))\/+(${GROUPS.join('|')})\/+([^/?]+)(\/[^?]*)?`
const BENCH_PATH = new RegExp(`^${PATH}$`, 's')
const BENCH_URL = new RegExp(String.raw`^[^/]+\/\/[^/?]*${PATH}(?:\?(.*))?$`, 's')

/**
 * The place of a request below a bench, from its URL as it came. No parser may change what is judged.
 *
 * @returns Undefined if the URL is not that of a case
 */
export function benchPlaceOf(url: string): BenchPlace | undefined {
  const match = BENCH_URL.exec(url)
  if (!match) return undefined
  const [, runId, group, name, rest = '', query = ''] = match
  return { runId, id: `${group}/${name}`, rest, query }
}

/** Whether a path, within its world, is that of a case. */
export function isBenchPath(path: string): boolean {
  return BENCH_PATH.test(path)
}
