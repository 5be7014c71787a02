import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ProblemError } from '../../domain/problems.ts'
import { parseScopes } from '../../domain/scopes.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { ClientPath, type OwnConsent, OwnConsentPage } from '../../schemas/own-clients.ts'
import { PageQuery } from '../../schemas/page.ts'
import { endConsent, type ListedConsent, listConsents } from '../../stores/consents.ts'

const PATH = '/me/consents'

const listOwnConsents = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'listConsents',
  tag: 'Authentication',
  summary: 'Get your remembered consents',
  description: doc(
    'Returns the OAuth clients to which you gave consent, oldest first. If such a client requests the same scopes again, the service does not ask you again. GET /me/grants returns the active grants of these clients.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'read:account',
  query: PageQuery,
  responses: { 200: pageResponse(PATH, OwnConsentPage, doc('A page of your remembered consents')) },
  async handle({ query, caller }, { session }) {
    const { rows, total } = await listConsents(session.db, caller, query)
    return replyList(PATH, query, rows.map(presentConsent), total)
  },
})

const endOwnConsent = defineRoute({
  method: 'delete',
  path: `${PATH}/{clientId}`,
  operationId: 'endConsent',
  tag: 'Authentication',
  summary: 'Revoke your consent for a client',
  description: doc(
    'Revokes your consent for a client. Every grant that you gave the client ends immediately, with its codes and tokens. The next time the client requests access, the service asks you again.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  params: ClientPath,
  responses: { 204: { description: doc('The consent was revoked') } },
  async handle({ params, caller }, { session, now }) {
    if (await endConsent(session, caller, params.clientId, now)) return reply(204)
    throw new ProblemError('not-found', 'You have no remembered consent for a client with this id.')
  },
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
