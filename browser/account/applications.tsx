import type { OwnClient, OwnConsent, OwnGrant } from '../../src/schemas/own-clients.ts'
import { When } from '../lib/when.tsx'
import { describeCall } from './access.ts'
import { type ItemKind, OwnList } from './own-list.tsx'
import { SameCalls } from './same-calls.tsx'
import { HEADING_PROPS } from './use-selection.ts'

const GRANTS: ItemKind<OwnGrant> = {
  path: '/me/grants',
  idOf: ({ id }) => id,
  nameOf: ({ clientId, clientName }) => clientName ?? clientId,
  facts: ({ clientId, scopes, createdAt, expiresAt }) => [
    ['Allowed to', scopes.join(', ')],
    ['Since', <When at={createdAt} />],
    ['Until', <When at={expiresAt} />],
    ['Client', <code>{clientId}</code>],
  ],
  verb: 'Revoke',
  participle: 'revoked',
  consequence:
    'Its tokens stop working at once, and so do the keys and the clients that it has created for you. The next time, it has to ask you again.',
  empty: 'No application has access now. If you allow one on the consent page, it appears here.',
}

const CONSENTS: ItemKind<OwnConsent> = {
  path: '/me/consents',
  idOf: ({ clientId }) => clientId,
  nameOf: ({ clientId, clientName }) => clientName ?? clientId,
  facts: ({ clientId, scopes, createdAt }) => [
    ['Does not ask again for', scopes.join(', ')],
    ['Since', <When at={createdAt} />],
    ['Client', <code>{clientId}</code>],
  ],
  verb: 'Forget',
  participle: 'forgotten',
  consequence:
    'Everything that you have allowed this application ends at once. The next time, it has to ask you again.',
  empty: 'The service asks you each time. Consents that the service remembers appear here.',
}

const CLIENTS: ItemKind<OwnClient> = {
  path: '/me/clients',
  idOf: ({ id }) => id,
  nameOf: ({ id, name }) => name ?? id,
  facts: ({ id, authentication, redirectUris, scopes, createdAt, expiresAt, lastUsedAt }) => [
    ['Client', <code>{id}</code>],
    ['Authentication', authentication],
    ['Redirects to', redirectUris.join(', ')],
    ['May ask for', scopes.join(', ')],
    ['Created', <When at={createdAt} />],
    ['Expires', expiresAt && <When at={expiresAt} />],
    ['Last used', <When at={lastUsedAt} />],
  ],
  verb: 'Delete',
  participle: 'deleted',
  consequence: 'Everything that users have allowed this client ends at once. This cannot be undone.',
  empty: 'You have registered no OAuth clients. POST /oauth/register with your token registers one.',
}

/** The grants and consents that the user gave to OAuth clients, and the clients that the user owns. */
export function Applications() {
  const requests = [GRANTS, CONSENTS, CLIENTS].flatMap(({ path }) => [
    describeCall('GET', path),
    describeCall('DELETE', `${path}/ID`),
  ])
  return (
    <>
      <h2 {...HEADING_PROPS}>Applications</h2>
      <p>Applications that use your account with OAuth 2.0 or OpenID Connect, as far as you have allowed them.</p>
      <h3>Applications with access</h3>
      <OwnList kind={GRANTS} />
      <h3>Remembered consents</h3>
      <OwnList kind={CONSENTS} />
      <h3>Your own clients</h3>
      <OwnList kind={CLIENTS} />
      <SameCalls requests={requests} />
    </>
  )
}
