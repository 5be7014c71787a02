import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ProblemError } from '../../domain/problems.ts'
import { AGE_MAX_HOURS, OWNER_ID, type UniverseControl } from '../../domain/universe.ts'
import { entity } from '../../http/body/entity.ts'
import { invalidBody } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { toDate } from '../../schemas/fields.ts'
import { Universe, UniverseChange } from '../../schemas/universe.ts'
import type { Services } from '../../services.ts'
import { addressesOf } from './addresses.ts'

/** The path of a universe within itself. */
export const UNIVERSE_PATH = '/universe'

const common = { tag: 'Universes', since: '2.0.0', world: 'universe' } as const
/** The members that all operations for the owner alone have. */
export const owned = { ...common, security: ALL_SCHEMES, scope: 'write:account', problems: ['forbidden'] } as const

const getUniverse = defineRoute({
  ...common,
  method: 'get',
  path: UNIVERSE_PATH,
  operationId: 'getUniverse',
  summary: 'Get the universe',
  description: doc(
    'Returns the universe at this base URL: when it ends, how much it can contain, and how much it contains. Each request moves the end of the universe, unless the owner has fixed the end.',
  ),
  security: [],
  isSecret: true,
  responses: { 200: { description: doc('The universe'), schema: Universe } },
  async handle(_, context) {
    return reply(200, presentUniverse(requireUniverse(context.services), context))
  },
})

const updateUniverse = defineRoute({
  ...owned,
  method: 'patch',
  path: UNIVERSE_PATH,
  operationId: 'updateUniverse',
  summary: 'Change when the universe ends, or how long tokens live',
  description: doc(
    'Sets the time at which the universe ends, the lifetime of its tokens, or both. The time must be later than now, and at most seven days after the universe was made. After this, requests no longer move its end. Only its owner can do this.',
  ),
  body: entity(UniverseChange),
  responses: { 200: { description: doc('The updated universe'), schema: Universe } },
  async handle({ body, caller }, context) {
    requireOwner(caller)
    const universe = requireUniverse(context.services)
    const expiresAt = body.expiresAt === undefined ? undefined : toDate(body.expiresAt)
    if (expiresAt) requirePossibleEnd(expiresAt, universe, context.services.now())
    await context.session.requireCredential()
    universe.change({ expiresAt, tokenSeconds: body.tokenSeconds })
    return reply(200, presentUniverse(universe, context))
  },
})

const resetUniverse = defineRoute({
  ...owned,
  method: 'post',
  path: `${UNIVERSE_PATH}/reset`,
  operationId: 'resetUniverse',
  summary: 'Reset the universe',
  description: doc(
    'Restores the contents that the universe was made with. The account of its owner keeps its password, its signing secret, its tokens of `POST /auth/token`, and its API keys, except for keys that an OAuth client created. The times at which the universe was made and at which it ends stay the same; the lifetime of tokens is an hour again. Everything else is removed: changes of planets, images, other users, OAuth clients, grants, subscriptions, deliveries and inboxes. The numbering of ids starts again. All other credentials that the universe issued before the reset become invalid, and entity tags from before the reset no longer match. Only its owner can do this.',
  ),
  responses: { 204: { description: doc('The universe is as it was when it was made') } },
  async handle({ caller }, { services, session }) {
    requireOwner(caller)
    const reset = await requireUniverse(services).prepareReset()
    // The credential may have ended while the reset was prepared.
    await session.requireCredential()
    reset()
    return reply(204)
  },
})

const deleteUniverse = defineRoute({
  ...owned,
  method: 'delete',
  path: UNIVERSE_PATH,
  operationId: 'deleteUniverse',
  summary: 'End the universe',
  description: doc(
    'Ends the universe at once, with everything in it. This cannot be undone. For 30 days, every request to it gets 410. Only its owner can do this.',
  ),
  responses: { 204: { description: doc('The universe has ended') } },
  async handle({ caller }, { services, session }) {
    requireOwner(caller)
    await session.requireCredential()
    await requireUniverse(services).end()
    return reply(204)
  },
})

/** @throws ProblemError 403 */
export function requireOwner({ id }: Caller): void {
  if (id !== OWNER_ID) throw new ProblemError('forbidden', 'Only the owner of this universe can do this.')
}

/** @throws ProblemError 400 if it cannot */
function requirePossibleEnd(expiresAt: Date, universe: UniverseControl, now: Date): void {
  const latest = new Date(universe.describe().createdAt.getTime() + AGE_MAX_HOURS * HOUR_MS)
  if (expiresAt > now && expiresAt <= latest) return
  throw invalidBody([
    { pointer: '/expiresAt', detail: `must be later than now, and not later than ${latest.toISOString()}` },
  ])
}

/** The universe of a request. It is always set here, because the common world does not have the routes of this file. */
function requireUniverse({ universe }: Services): UniverseControl {
  if (universe) return universe
  throw new Error('a route of universes was called in the common world')
}

function presentUniverse(universe: UniverseControl, { baseUrl, services: { config } }: RequestContext): Universe {
  const { id, seed, createdAt, expiresAt, tokenSeconds, limits, usage } = universe.describe()
  return {
    id,
    ...addressesOf(id, baseUrl, config),
    seed,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    tokenSeconds,
    limits,
    usage,
  }
}

export const ownUniverseRoutes: readonly Route[] = [getUniverse, updateUniverse, resetUniverse, deleteUniverse]
