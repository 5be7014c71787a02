import { EXAMPLE_ORIGIN } from './example-origin.ts'
import { universePath } from './universe-address.ts'

/** The id of the universe in examples. */
export const EXAMPLE_UNIVERSE_ID = 'exampleuniverse234567abc'

/** The base URL of that universe, as the common world writes it. */
export const EXAMPLE_UNIVERSE_URL = `${EXAMPLE_ORIGIN}${universePath(EXAMPLE_UNIVERSE_ID)}`

/** Examples as a universe shows them: its own base URL is the example origin, which `atOrigin` replaces. */
export function seenInUniverse<Value>(examples: Value): Value {
  return JSON.parse(JSON.stringify(examples).replaceAll(EXAMPLE_UNIVERSE_URL, EXAMPLE_ORIGIN))
}
