import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ProblemError } from '../../domain/problems.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { ClientPath, type OwnClient, OwnClientPage } from '../../schemas/own-clients.ts'
import { PageQuery } from '../../schemas/page.ts'
import { deleteClient, listClients, type StoredClient } from '../../stores/clients.ts'

const PATH = '/me/clients'

const listOwnClients = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'listClients',
  tag: 'Authentication',
  summary: 'Get your OAuth clients',
  description: doc(
    'Returns the clients that you registered with POST /oauth/register, oldest first, without their secrets.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'read:account',
  query: PageQuery,
  responses: { 200: pageResponse(PATH, OwnClientPage, doc('A page of your clients')) },
  async handle({ query, caller }, { session }) {
    const { rows, total } = await listClients(session.db, caller.id, query)
    return replyList(PATH, query, rows.map(presentClient), total)
  },
})

const deleteOwnClient = defineRoute({
  method: 'delete',
  path: `${PATH}/{clientId}`,
  operationId: 'deleteClient',
  tag: 'Authentication',
  summary: 'Delete an OAuth client',
  description: doc('Deletes one of your clients and immediately ends every grant that users gave it.'),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: ClientPath,
  responses: { 204: { description: doc('The client was deleted') } },
  async handle({ params, caller }, { session }) {
    if (await deleteClient(session, caller.id, params.clientId)) return reply(204)
    throw new ProblemError('not-found', 'You have no client with this id.')
  },
})

function presentClient({ id, metadata, createdAt, expiresAt, lastUsedAt }: StoredClient): OwnClient {
  return {
    id,
    ...(metadata.client_name !== undefined && { name: metadata.client_name }),
    authentication: metadata.token_endpoint_auth_method,
    redirectUris: metadata.redirect_uris,
    scopes: metadata.scope.split(' '),
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    lastUsedAt: lastUsedAt.toISOString(),
  }
}

export const ownClientRoutes: readonly Route[] = [listOwnClients, deleteOwnClient]
