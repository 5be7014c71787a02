/**
 * Registry: the purposes for which values are encrypted in the database, see `Vault.seal`. So a value can only be
 * decrypted for its own user, subscription or Idempotency-Key.
 */
export const PURPOSES = {
  user: (userId: number) => `signing-secret/${userId}`,
  webhook: (userId: number) => `webhook-secret/${userId}`,
  webhookAuth: (userId: number) => `webhook-auth/${userId}`,
  keptReply: (userId: number, key: string) => `kept-reply/${userId}/${key}`,
} as const
