import { malformed } from './malformed.ts'
import { NotWellFormed, readTokens } from './tokens.ts'

/**
 * Maximum nesting of elements. The value of a document has at most twice as many levels, because an element can become
 * a list with an object in it. LEVELS_MAX (lib/json.ts) allows that many.
 */
const DEPTH_MAX = 32

/**
 * Rejects a document that is not well-formed, or that has content which the service does not accept: a DOCTYPE (and so
 * any entity), processing instructions, deep nesting. The parser (tree.ts) would accept much of this.
 *
 * @throws ProblemError 400
 */
export function requireWellFormed(text: string): void {
  try {
    for (const _ of readTokens(text, { depthMax: DEPTH_MAX, isPlain: true }));
  } catch (error) {
    if (!(error instanceof NotWellFormed)) throw error
    throw malformed(`${error.message}, in line ${text.slice(0, error.at).split('\n').length}`)
  }
}
