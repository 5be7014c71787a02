// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { createInterface } from 'node:readline/promises'
import { normaliseEmail } from '../../src/domain/email.ts'
import { GALAXY_USER_ID } from '../../src/domain/galaxy-user.ts'
import { readAccountArguments, USAGE } from './account-arguments.ts'
import { queryDatabase } from './wrangler.ts'

// npm run account -- suspend|restore|delete WHO [--yes] [--remote | --local [--persist-to DIR]]
// From the next request on, every credential of a suspended account is refused everywhere. A deleted account is removed
// with everything that belongs to it.

/** What each reversible command writes to `suspended_at`, and the condition under which it does. */
const SWITCHES = {
  suspend: { value: 'unixepoch() * 1000', when: 'is null', done: 'is suspended' },
  restore: { value: 'null', when: 'is not null', done: 'is active again' },
}

/** What an account owns: the name that the command prints, and the SQL of the rows to count, up to the account's id. */
const BELONGINGS: Record<string, string> = {
  planets: 'planets where creator_id',
  'satellites and stars': 'bodies where creator_id',
  images: 'planets where image_key is not null and creator_id',
  'API keys': 'api_keys where user_id',
  'OAuth clients': 'clients where owner_id',
  subscriptions: 'webhooks where user_id',
  'logged callbacks': 'deliveries where user_id',
}

const { command, who, isConfirmed, target } =
  readAccountArguments(process.argv.slice(2), process.stdin.isTTY) ?? fail(`Usage: ${USAGE}`, 2)

const where = `${/^[1-9][0-9]*$/.test(who) ? `id = ${who}` : `email_key = ${quote(normaliseEmail(who))}`} and deleted_at is null`
if (command === 'delete') await deleteAccount()
else await switchAccount(SWITCHES[command])

/** Suspends or restores the account. */
async function switchAccount(change: (typeof SWITCHES)[keyof typeof SWITCHES]): Promise<void> {
  const [account] = await queryDatabase(
    `update users set suspended_at = ${change.value} where ${where} and suspended_at ${change.when};
     select id, email, suspended_at from users where ${where};`,
    target,
  )
  if (!account) fail(`Account ${who} does not exist.`, 1)
  console.log(`Account ${account.id} (${account.email ?? 'without an e-mail address'}) ${change.done}.`)
}

/**
 * Writes the same single value as DELETE /me, and a trigger then ends the account with all its credentials. The
 * scheduled job of the service, which runs every minute, removes what the account owns, including images.
 */
async function deleteAccount(): Promise<void> {
  const counts = Object.values(BELONGINGS).map(
    (ownedRows, index) => `(select count(*) from ${ownedRows} = users.id) as n${index}`,
  )
  const [account] = await queryDatabase(`select id, email, ${counts.join(', ')} from users where ${where}`, target)
  if (!account) fail(`Account ${who} does not exist.`, 1)
  const { id, email } = account
  if (id === GALAXY_USER_ID) fail(`Account ${id} owns the shipped planets and cannot be deleted.`, 1)
  const accountText = `Account ${id} (${email ?? 'without an e-mail address'})`
  const belongings = Object.keys(BELONGINGS).map((thing, index) => `${account[`n${index}`]} ${thing}`)
  if (!isConfirmed && !(await confirm(`${accountText} has ${belongings.join(', ')}. Delete it permanently?`)))
    fail('Nothing was deleted.', 1)
  const [remaining] = await queryDatabase(
    `update users set deleted_at = unixepoch() * 1000 where id = ${id} and deleted_at is null;
     select count(*) as accounts from users where id = ${id} and deleted_at is null`,
    target,
  )
  if (remaining?.accounts !== 0) fail(`${accountText} could not be deleted.`, 1)
  console.log(`${accountText} was deleted, together with all its credentials.`)
  console.log(`The service will remove the following within a minute: ${belongings.join(', ')}.`)
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

function fail(message: string, code: number): never {
  console.error(message)
  process.exit(code)
}

/** A text as an SQL string. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
