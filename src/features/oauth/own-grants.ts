import { doc } from '#doc'
import { deleteOwn, listOwn } from '../../http/own-routes.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { GrantPath, type OwnGrant, OwnGrantPage } from '../../schemas/own-clients.ts'
import { PageQuery } from '../../schemas/page.ts'
import { endOwnGrant, type ListedGrant, listGrants } from '../../stores/grants.ts'

const PATH = '/me/grants'

const listOwnGrants = listOwn({
  path: PATH,
  operationId: 'listGrants',
  tag: 'Authentication',
  summary: 'Get your grants',
  description: doc('Returns the active grants that you gave OAuth clients, oldest first.'),
  query: PageQuery,
  page: OwnGrantPage,
  found: doc('A page of your grants'),
  list: (query, caller, { session, now }) => listGrants(session.db, caller, query, now),
  present: presentGrant,
})

const revokeOwnGrant = deleteOwn({
  path: `${PATH}/{grantId}`,
  operationId: 'endGrant',
  tag: 'Authentication',
  summary: 'Revoke a grant',
  description: doc(
    'Revokes a grant that you gave a client. Every code and token that the client received for it stops working immediately. The next time the client requests access, the service asks you again.',
  ),
  params: GrantPath,
  done: doc('The grant was revoked'),
  missing: 'You have no active grant with this id.',
  remove: ({ grantId }, caller, { session, now }) => endOwnGrant(session, caller, grantId, now),
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
