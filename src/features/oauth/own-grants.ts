import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ProblemError } from '../../domain/problems.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { GrantPath, type OwnGrant, OwnGrantPage } from '../../schemas/own-clients.ts'
import { PageQuery } from '../../schemas/page.ts'
import { endOwnGrant, type ListedGrant, listGrants } from '../../stores/grants.ts'

const PATH = '/me/grants'

const listOwnGrants = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'listGrants',
  tag: 'Authentication',
  summary: 'Get your grants',
  description: doc('Returns the active grants that you gave OAuth clients, oldest first.'),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'read:account',
  query: PageQuery,
  responses: { 200: pageResponse(PATH, OwnGrantPage, doc('A page of your grants')) },
  async handle({ query, caller }, { session, now }) {
    const { rows, total } = await listGrants(session.db, caller, query, now)
    return replyList(PATH, query, rows.map(presentGrant), total)
  },
})

const revokeOwnGrant = defineRoute({
  method: 'delete',
  path: `${PATH}/{grantId}`,
  operationId: 'endGrant',
  tag: 'Authentication',
  summary: 'Revoke a grant',
  description: doc(
    'Revokes a grant that you gave a client. Every code and token that the client received for it stops working immediately. The next time the client requests access, the service asks you again.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: GrantPath,
  responses: { 204: { description: doc('The grant was revoked') } },
  async handle({ params, caller }, { session, now }) {
    if (await endOwnGrant(session, caller, params.grantId, now)) return reply(204)
    throw new ProblemError('not-found', 'You have no active grant with this id.')
  },
})

function presentGrant({ entry: grant, client: metadata }: ListedGrant): OwnGrant {
  return {
    id: grant.id,
    clientId: grant.clientId,
    ...(metadata.client_name !== undefined && { clientName: metadata.client_name }),
    scopes: grant.scopes,
    createdAt: grant.createdAt.toISOString(),
    expiresAt: grant.expiresAt.toISOString(),
  }
}

/** The routes for the active grants that a user gave to clients. */
export const ownGrantRoutes: readonly Route[] = [listOwnGrants, revokeOwnGrant]
