import { env } from 'cloudflare:workers'
import { issueUserToken } from '../../src/auth/bearer.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { OWNER_ID } from '../../src/domain/universe.ts'
import { type Account, type Client, ORIGIN } from './app.ts'

const OWNER = `insert into users (id, name, email, email_key, password_hash, created_at) values (?1, 'Galaxy', ?2, ?2, ?3, 0)
  on conflict (id) do update set email = excluded.email, email_key = excluded.email_key, password_hash = excluded.password_hash
  returning password_generation as passwordGeneration`

/** The owner of a universe, with an e-mail address, a password and a token. */
export async function createOwner({ services }: Client): Promise<Account> {
  const { config, tokens, now } = services
  const [email, password] = ['owner@universe.example', 'correct horse']
  const passwordHash = await hashPassword(password, config.passwordIterations)
  const user = await env.DB.prepare(OWNER).bind(OWNER_ID, email, passwordHash).first<{ passwordGeneration: number }>()
  if (!user) throw new Error('an upsert returns its row')
  const token = await issueUserToken(tokens, { userId: OWNER_ID, ...user }, ORIGIN, now())
  return { id: OWNER_ID, email, password, token }
}
