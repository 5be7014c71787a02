import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { keptReplies, signingSecrets, webhooks } from '../db/tables.ts'

/** Registry: the columns with values that lib/vault.ts has encrypted. Their tables have the column user_id. */
export const SEALED_COLUMNS = {
  signingSecret: signingSecrets.secret,
  previousSigningSecret: signingSecrets.previous,
  webhookSecret: webhooks.secret,
  webhookAuth: webhooks.auth,
  keptReply: keptReplies.reply,
} as const satisfies Record<string, SQLiteColumn>
