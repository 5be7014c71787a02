import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { universePath } from '../../src/domain/universe-address.ts'
import type { Server } from './types.ts'

// @apidevtools/swagger-parser rejects the description of a server variable, because its schema misspells this keyword.
// So the description of a server also explains its variables.

/** The service, or the universe, in its own document. */
export const SERVICE: Server = { url: EXAMPLE_ORIGIN, description: 'This service' }

/** The second server of the public document. */
export const ECHO: Server = {
  url: `{protocol}://${new URL(EXAMPLE_ORIGIN).host}/echo/{path}`,
  description:
    'The echo: returns what you send in any request. `protocol` is `http` on your own machine. `path` is any path. If it ends in a status, such as 503, the response has that status.',
  variables: { protocol: { enum: ['https', 'http'], default: 'https' }, path: { default: 'anything' } },
}

/**
 * Where the operations are that only universes have, in the document of the common world. In the document of a universe,
 * `SERVICE` is the universe.
 */
export const UNIVERSE_SERVER: Server = {
  url: `${EXAMPLE_ORIGIN}${universePath('{universe}')}`,
  description:
    'A universe: a world of your own with the same API. `universe` is its `id`, as `POST /universes` returns it.',
  variables: { universe: { default: 'id-of-your-universe' } },
}

/** The servers of every document. */
export const SERVERS: readonly Server[] = [SERVICE, ECHO]
