import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { OWNER_ID } from '../../domain/universe.ts'
import { entity } from '../../http/body/entity.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import type { Services } from '../../services.ts'
import { FaultBook } from './book.ts'
import { isExempt } from './exempt.ts'
import { AttemptPage, AttemptQuery, CountedFaultRules, FaultRules } from './schemas.ts'

/** The path of the rules of a universe. */
export const FAULTS_PATH = '/universe/faults'
const ATTEMPTS_PATH = `${FAULTS_PATH}/attempts`

const common = {
  tag: 'Universes',
  since: '2.0.0',
  world: 'universe',
  security: ALL_SCHEMES,
  formats: ['json'],
} as const
const reads = { ...common, method: 'get', scope: 'read:account', problems: ['forbidden'] } as const
const writes = { ...common, scope: 'write:account', problems: ['forbidden'] } as const

/** @param routesOf The routes of a universe, with those of WebSockets */
export function faultRoutes(routesOf: () => readonly Route[]): readonly Route[] {
  const setFaults = defineRoute({
    ...writes,
    method: 'put',
    path: FAULTS_PATH,
    operationId: 'setFaults',
    summary: 'Set the rules of faults',
    description: doc(
      'Replaces all rules by which requests to this universe fail. For each request, the first rule that matches decides, and no other counts the request. All counts of rules begin anew. The list of attempts stays. Only the owner of the universe can do this.',
    ),
    body: entity(FaultRules, ['json'], { inspect: (sent) => findUnknownPaths(sent, routesOf()) }),
    responses: { 200: { description: doc('The rules'), schema: FaultRules } },
    async handle({ body, caller }, { services, session }) {
      const book = bookOf(caller, services)
      await session.requireCredential()
      book.replace(body.rules)
      return reply(200, body)
    },
  })
  return [getFaults, setFaults, deleteFaults, listAttempts, deleteAttempts]
}

const getFaults = defineRoute({
  ...reads,
  path: FAULTS_PATH,
  operationId: 'getFaults',
  summary: 'Get the rules of faults',
  description: doc(
    'Returns the rules by which requests to this universe fail, and what each has done. Only the owner of the universe can do this.',
  ),
  responses: { 200: { description: doc('The rules with their counts'), schema: CountedFaultRules } },
  async handle({ caller }, { services }) {
    return reply(200, { rules: bookOf(caller, services).describe() })
  },
})

const deleteFaults = defineRoute({
  ...writes,
  method: 'delete',
  path: FAULTS_PATH,
  operationId: 'deleteFaults',
  summary: 'Remove the rules of faults',
  description: doc('Removes all rules. The list of attempts stays. Only the owner of the universe can do this.'),
  responses: { 204: { description: doc('No request fails by a rule any more') } },
  async handle({ caller }, { services, session }) {
    const book = bookOf(caller, services)
    await session.requireCredential()
    book.replace([])
    return reply(204)
  },
})

const listAttempts = defineRoute({
  ...reads,
  path: ATTEMPTS_PATH,
  operationId: 'listFaultAttempts',
  summary: 'Get the attempts that rules have decided',
  description: doc(
    'Returns a page of the requests that rules have decided, oldest first, also of those that they let pass. The newest 10,000 are listed. Only the owner of the universe can do this.',
  ),
  query: AttemptQuery,
  responses: { 200: pageResponse(ATTEMPTS_PATH, AttemptPage, doc('A page of the attempts')) },
  async handle({ query, caller }, { services }) {
    const { attempts, total } = bookOf(caller, services).list(query)
    // The links keep the other parameters of the query.
    const filters = query
    return replyList(ATTEMPTS_PATH, query, attempts, total, filters)
  },
})

const deleteAttempts = defineRoute({
  ...writes,
  method: 'delete',
  path: ATTEMPTS_PATH,
  operationId: 'deleteFaultAttempts',
  summary: 'Empty the list of attempts',
  description: doc(
    'Removes all attempts from the list. Each rule stays, and its counts and sequences begin anew. Only the owner of the universe can do this.',
  ),
  responses: { 204: { description: doc('The list is empty') } },
  async handle({ caller }, { services, session }) {
    const book = bookOf(caller, services)
    await session.requireCredential()
    book.clear()
    return reply(204)
  },
})

/** @throws ProblemError 403 if the caller does not own the universe */
function bookOf({ id }: Caller, { universe }: Services): FaultBook {
  if (id !== OWNER_ID) throw new ProblemError('forbidden', 'Only the owner of this universe can do this.')
  if (!universe) throw new Error('a route of universes was called in the common world')
  return new FaultBook(universe.store)
}

/** Finds paths that no request can have, because a rule that never matches helps nobody. */
function findUnknownPaths(sent: unknown, routes: readonly Route[]): Fault[] {
  const { success, data } = FaultRules.safeParse(sent)
  if (!success) return []
  const known = routes.filter((route) => !isExempt(route))
  return data.rules.flatMap(({ match }, index) => {
    const { path } = match ?? {}
    if (path === undefined || known.some((route) => couldMatch(path, route))) return []
    return [{ pointer: `/rules/${index}/match/path`, detail: 'must be the path of an operation, or a prefix with /*' }]
  })
}

function couldMatch(path: string, { path: template, opensSocket }: Route): boolean {
  if (!path.endsWith('/*')) return path === template && !opensSocket
  const [names, parts] = [path.slice(1, -2).split('/'), template.slice(1).split('/')]
  if (path === '/*') return true
  return (
    names.length < parts.length && names.every((name, index) => name === parts[index] || parts[index]?.startsWith('{'))
  )
}
