import { doc } from '#doc'
import { deleteOwn, listOwn } from '../../http/own-routes.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { ClientPath, type OwnClient, OwnClientPage } from '../../schemas/own-clients.ts'
import { PageQuery } from '../../schemas/page.ts'
import { deleteClient, listClients, type StoredClient } from '../../stores/clients.ts'

const PATH = '/me/clients'

const listOwnClients = listOwn({
  path: PATH,
  operationId: 'listClients',
  tag: 'Authentication',
  summary: 'Get your OAuth clients',
  description: doc(
    'Returns the clients that you registered with POST /oauth/register, oldest first, without their secrets.',
  ),
  query: PageQuery,
  page: OwnClientPage,
  found: doc('A page of your clients'),
  list: (query, caller, { session }) => listClients(session.db, caller.id, query),
  present: presentClient,
})

const deleteOwnClient = deleteOwn({
  path: `${PATH}/{clientId}`,
  operationId: 'deleteClient',
  tag: 'Authentication',
  summary: 'Delete an OAuth client',
  description: doc('Deletes one of your clients and immediately ends every grant that users gave it.'),
  params: ClientPath,
  done: doc('The client was deleted'),
  missing: 'You have no client with this id.',
  remove: ({ clientId }, caller, { session }) => deleteClient(session, caller.id, clientId),
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
