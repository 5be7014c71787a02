import { doc } from '#doc'
import { parseScopes } from '../../domain/scopes.ts'
import { deleteOwn, listOwn } from '../../http/own-routes.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { ClientPath, type OwnConsent, OwnConsentPage } from '../../schemas/own-clients.ts'
import { PageQuery } from '../../schemas/page.ts'
import { endConsent, type ListedConsent, listConsents } from '../../stores/consents.ts'

const PATH = '/me/consents'

const listOwnConsents = listOwn({
  path: PATH,
  operationId: 'listConsents',
  tag: 'Authentication',
  summary: 'Get your remembered consents',
  description: doc(
    'Returns the OAuth clients to which you gave consent, oldest first. If such a client requests the same scopes again, the service does not ask you again. GET /me/grants returns the active grants of these clients.',
  ),
  query: PageQuery,
  page: OwnConsentPage,
  found: doc('A page of your remembered consents'),
  list: (query, caller, { session }) => listConsents(session.db, caller, query),
  present: presentConsent,
})

const endOwnConsent = deleteOwn({
  path: `${PATH}/{clientId}`,
  operationId: 'endConsent',
  tag: 'Authentication',
  summary: 'Revoke your consent for a client',
  description: doc(
    'Revokes your consent for a client. Every grant that you gave the client ends immediately, with its codes and tokens. The next time the client requests access, the service asks you again.',
  ),
  params: ClientPath,
  done: doc('The consent was revoked'),
  missing: 'You have no remembered consent for a client with this id.',
  remove: ({ clientId }, caller, { session, now }) => endConsent(session, caller, clientId, now),
})

function presentConsent({ entry: consent, client: metadata }: ListedConsent): OwnConsent {
  return {
    clientId: consent.clientId,
    ...(metadata.client_name !== undefined && { clientName: metadata.client_name }),
    // Lists only known scopes, in the order of `ALL_SCOPES`.
    scopes: parseScopes(consent.scopes.join(' ')),
    createdAt: consent.createdAt.toISOString(),
  }
}

/** The routes for the consents that the service remembers, so that it does not ask the user again. */
export const ownConsentRoutes: readonly Route[] = [listOwnConsents, endOwnConsent]
