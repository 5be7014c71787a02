import { useState } from 'hono/jsx/dom'
import type { ApiKey } from '../../src/schemas/api-key.ts'
import { Copyable } from '../lib/copyable.tsx'
import { When } from '../lib/when.tsx'
import { describeCall } from './access.ts'
import { CreateKey } from './create-key.tsx'
import { forgetNewKey, keepNewKey, loadNewKey, type NewKey } from './new-key-store.ts'
import { type ItemKind, OwnList } from './own-list.tsx'
import { SameCalls } from './same-calls.tsx'
import { focusHeading, HEADING_PROPS } from './use-selection.ts'

const KEYS: ItemKind<ApiKey> = {
  path: '/me/api-keys',
  idOf: ({ id }) => String(id),
  nameOf: ({ name, preview }) => name ?? `the key ${preview}…`,
  facts: ({ preview, scopes, createdAt, expiresAt, lastUsedAt }) => [
    ['Begins with', <code>{preview}</code>],
    ['Scopes', scopes.join(', ')],
    ['Created', <When at={createdAt} />],
    ['Expires', expiresAt ? <When at={expiresAt} /> : 'never'],
    ['Last used', lastUsedAt ? <When at={lastUsedAt} /> : 'never'],
  ],
  verb: 'Revoke',
  participle: 'revoked',
  consequence:
    'It stops working at once, and so do the keys and the clients that were created with it. This cannot be undone.',
  empty: 'You have no API keys yet. Create one below.',
}

export function Keys() {
  const [newKey, setNewKey] = useState(loadNewKey)
  const [version, setVersion] = useState(0)
  const show = (key: NewKey) => {
    keepNewKey(key)
    setNewKey(key)
    setVersion(version + 1)
  }
  const dismiss = () => {
    forgetNewKey()
    setNewKey(undefined)
    focusHeading()
  }
  return (
    <>
      <h2 {...HEADING_PROPS}>API keys</h2>
      <p>
        A program sends a key in the header <code>X-API-Key</code> and acts as you, within the scopes of the key.
      </p>
      <div role="status">{newKey && <ShownKey apiKey={newKey} onDismiss={dismiss} />}</div>
      <OwnList kind={KEYS} version={version} onEnded={({ id }) => id === newKey?.id && dismiss()} />
      <h3>Create a key</h3>
      <CreateKey onCreated={show} />
      <SameCalls
        requests={[
          describeCall('GET', KEYS.path),
          describeCall('POST', KEYS.path, { name: 'Build server', scopes: ['read:planets'] }),
          describeCall('DELETE', `${KEYS.path}/1`),
        ]}
      />
    </>
  )
}

function ShownKey({ apiKey: { key }, onDismiss }: { apiKey: NewKey; onDismiss(): void }) {
  return (
    <div class="notice good new-key">
      <p>
        <strong>This is your new key.</strong> Save it now: it is shown only once.
      </p>
      <Copyable text={key} what="the key" />
      <button type="button" class="secondary small" onClick={onDismiss}>
        I have saved it
      </button>
    </div>
  )
}
