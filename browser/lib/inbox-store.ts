import { readStored, store } from './storage.ts'

// The inboxes that the user has opened in this tab. Inboxes have no owner, so only the tab knows them.

const KEY = 'inboxes'

/** The id of an inbox is a UUID of version 4 (RFC 9562). */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/

/** Finds the id of an inbox in its URL, or in anything else that contains it. */
export function findInboxId(text: string): string | undefined {
  return ID.exec(text.toLowerCase())?.[0]
}

/** The ids of the remembered inboxes, newest first. */
export function listInboxes(): string[] {
  return JSON.parse(readStored(KEY) ?? '[]')
}

export function rememberInbox(id: string): void {
  if (!listInboxes().includes(id)) keep([id, ...listInboxes()])
}

export function forgetInbox(id: string): void {
  keep(listInboxes().filter((known) => known !== id))
}

function keep(ids: readonly string[]): void {
  store(KEY, JSON.stringify(ids))
}
