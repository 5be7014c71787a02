import type { Change } from '../../src/changes/change.ts'
import { type Committed, commit, type Writer } from '../../src/changes/commit.ts'
import { openSession, type Query } from '../../src/db/port.ts'
import type { Client } from './app.ts'

/** Somebody who writes to the world of a client, without a credential. */
export function writerOf({ services }: Client): Writer {
  return { session: openSession(services, 'first-primary'), services, now: services.now() }
}

/** Commits a change in the world of a client. */
export async function commitIn<const Statements extends readonly Query[]>(
  client: Client,
  change: Change<Statements>,
): Promise<Committed<Statements>> {
  return await commit(writerOf(client), change)
}
