import { doc } from '#doc'
import { rateLimitHeaders, spendAttempt, universeLimit } from '../../auth/limits.ts'
import { EXAMPLE_UNIVERSE_URL } from '../../domain/example-universe.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { UniverseMaker } from '../../domain/universe.ts'
import { makeUniverseId, universePath } from '../../domain/universe-address.ts'
import { entity } from '../../http/body/entity.ts'
import { RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import { ALL_FORMATS } from '../../http/pipeline/formats.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { CreatedUniverse, UniverseInput } from '../../schemas/universe.ts'
import type { Services } from '../../services.ts'
import { addressesOf } from './addresses.ts'
import { UNIVERSE_PATH } from './own-universe.ts'

export const createUniverse = defineRoute({
  method: 'post',
  path: '/universes',
  operationId: 'createUniverse',
  tag: 'Universes',
  summary: 'Create a universe',
  description: doc(
    'Creates a universe: a world of your own with the same API at another base URL. Nobody else changes it, you can reset it, and it ends by itself. The response contains its base URL, the account that owns everything in it, and a token of this account. No credentials are required. If you send credentials, they are ignored. The number of universes that one client address can create per hour is limited.',
  ),
  since: '2.0.0',
  world: 'common',
  security: [],
  body: entity(UniverseInput, ALL_FORMATS, { mayBeEmpty: true }),
  responses: {
    201: {
      description: doc('The new universe'),
      schema: CreatedUniverse,
      headers: ['Location', ...RATE_LIMIT_HEADERS],
      exampleHeaders: { Location: `${EXAMPLE_UNIVERSE_URL}${UNIVERSE_PATH}` },
    },
  },
  problems: ['universes-off', 'too-many-requests'],
  async handle({ body: { seed, hours } }, { services, session, baseUrl, clientAddress, now }) {
    const maker = requireMaker(services)
    const limitState = await spendAttempt(session, universeLimit(services.config, clientAddress), now)
    const id = makeUniverseId()
    const url = `${baseUrl}${universePath(id)}`
    const { createdAt, expiresAt, owner, token } = await maker.make(id, seed, hours, url)
    const universe: CreatedUniverse = {
      id,
      ...addressesOf(id, url, services.config),
      seed,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      owner,
      token,
    }
    return reply(201, universe, { ...rateLimitHeaders(limitState), Location: `${url}${UNIVERSE_PATH}` })
  },
})

/** @throws ProblemError 403 if this deployment makes no universes */
function requireMaker({ config, universes }: Services): UniverseMaker {
  if (config.universesOn && universes) return universes
  throw new ProblemError('universes-off', 'This deployment does not make universes.')
}
