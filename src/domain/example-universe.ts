import { EXAMPLE_ORIGIN } from './example-origin.ts'
import { universePath } from './universe-address.ts'

export const EXAMPLE_UNIVERSE_ID = 'exampleuniverse234567abc'

/** The base URL of the universe in examples, as the common world writes it. */
export const EXAMPLE_UNIVERSE_URL = `${EXAMPLE_ORIGIN}${universePath(EXAMPLE_UNIVERSE_ID)}`

/** With EXAMPLE_ORIGIN instead of EXAMPLE_UNIVERSE_URL, so that `atOrigin` puts the base URL of the universe there. */
export function seenInUniverse<Value>(examples: Value): Value {
  return JSON.parse(JSON.stringify(examples).replaceAll(EXAMPLE_UNIVERSE_URL, EXAMPLE_ORIGIN))
}
