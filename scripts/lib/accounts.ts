import { normaliseEmail } from '../../src/domain/email.ts'
import { GALAXY_USER_ID } from '../../src/domain/galaxy-user.ts'
import type { AccountArguments } from './account-arguments.ts'
import { Failure } from './failure.ts'
import type { Query } from './wrangler.ts'

// The operator's changes to accounts. From the next request on, every credential of a suspended account is refused
// everywhere. A deleted account is removed with everything that belongs to it.

interface Tools {
  query: Query
  /** @returns Whether the answer is yes */
  confirm(question: string): Promise<boolean>
}

/** For each reversible command, the value that it writes to `suspended_at`, and the present value that it requires. */
const SWITCHES = {
  suspend: { value: 'unixepoch() * 1000', requires: 'is null', done: 'is suspended' },
  restore: { value: 'null', requires: 'is not null', done: 'is active again' },
}

/**
 * What an account owns: the name that the command prints, and the beginning of the SQL that finds the rows. The SQL
 * ends with ` = ` and the id of the account.
 */
const BELONGINGS: Record<string, string> = {
  planets: 'planets where creator_id',
  'satellites and stars': 'bodies where creator_id',
  images: 'planets where image_key is not null and creator_id',
  'API keys': 'api_keys where user_id',
  'OAuth clients': 'clients where owner_id',
  subscriptions: 'webhooks where user_id',
  'logged callbacks': 'deliveries where user_id',
}

/**
 * Suspends, restores or deletes an account.
 *
 * @returns Lines that say what was done
 * @throws Failure if there is no such account, or if it cannot be changed
 */
export async function changeAccount(change: Omit<AccountArguments, 'target'>, tools: Tools): Promise<string[]> {
  const { command, who, isConfirmed } = change
  const isId = /^[1-9][0-9]*$/.test(who)
  const condition = isId ? `id = ${who}` : `email_key = ${quote(normaliseEmail(who))}`
  const account = { who, where: `${condition} and deleted_at is null` }
  if (command === 'delete') return await deleteAccount(account, isConfirmed, tools)
  return [await switchAccount(account, SWITCHES[command], tools)]
}

/** An account as the operator names it, and the condition that finds it. */
interface Named {
  who: string
  where: string
}

async function switchAccount(
  { who, where }: Named,
  { value, requires, done }: (typeof SWITCHES)[keyof typeof SWITCHES],
  { query }: Tools,
): Promise<string> {
  const [account] = await query(
    `update users set suspended_at = ${value} where ${where} and suspended_at ${requires}`,
    `select id, email, suspended_at from users where ${where}`,
  )
  if (!account) throw new Failure(`Account ${who} does not exist.`)
  return `Account ${account.id} (${account.email ?? 'without an e-mail address'}) ${done}.`
}

/**
 * Writes the same single value as DELETE /me. A trigger then ends the account and all its credentials. The scheduled
 * job of the service, which runs every minute, removes what the account owns, including images.
 */
async function deleteAccount(
  { who, where }: Named,
  isConfirmed: boolean,
  { query, confirm }: Tools,
): Promise<string[]> {
  const counts = Object.values(BELONGINGS).map(
    (ownedRows, index) => `(select count(*) from ${ownedRows} = users.id) as n${index}`,
  )
  const [account] = await query(`select id, email, ${counts.join(', ')} from users where ${where}`)
  if (!account) throw new Failure(`Account ${who} does not exist.`)
  const { id, email } = account
  if (id === GALAXY_USER_ID) throw new Failure(`Account ${id} owns the shipped planets and cannot be deleted.`)
  const accountText = `Account ${id} (${email ?? 'without an e-mail address'})`
  const belongings = Object.keys(BELONGINGS).map((thing, index) => `${account[`n${index}`]} ${thing}`)
  if (!isConfirmed && !(await confirm(`${accountText} has ${belongings.join(', ')}. Delete it permanently?`)))
    throw new Failure('Nothing was deleted.')
  const [remaining] = await query(
    `update users set deleted_at = unixepoch() * 1000 where id = ${id} and deleted_at is null`,
    `select count(*) as accounts from users where id = ${id} and deleted_at is null`,
  )
  if (remaining?.accounts !== 0) throw new Failure(`${accountText} could not be deleted.`)
  return [
    `${accountText} was deleted, together with all its credentials.`,
    `The service will remove the following within a minute: ${belongings.join(', ')}.`,
  ]
}

/** A text as an SQL string. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
