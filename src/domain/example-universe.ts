import { EXAMPLE_ORIGIN } from './example-origin.ts'
import { universePath } from './universe-address.ts'

export const EXAMPLE_UNIVERSE_ID = 'exampleuniverse234567abc'

/** The base URL of the universe in examples, as the common world writes it. */
export const EXAMPLE_UNIVERSE_URL = `${EXAMPLE_ORIGIN}${universePath(EXAMPLE_UNIVERSE_ID)}`

/**
 * The examples for the documents of a universe. They contain the example origin instead of EXAMPLE_UNIVERSE_URL, so
 * that `atOrigin` replaces it with the base URL of the real universe.
 */
export function seenInUniverse<Value>(examples: Value): Value {
  return JSON.parse(JSON.stringify(examples).replaceAll(EXAMPLE_UNIVERSE_URL, EXAMPLE_ORIGIN))
}
