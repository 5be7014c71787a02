// So that a stop ends wrangler too.
import './stop.ts'
import { normaliseEmail } from '../src/lib/email.ts'
import { queryDatabase } from './wrangler.ts'

// npm run account -- suspend|restore WHO [--remote | --local [--persist-to DIR]]
// A suspended account is refused everywhere, whatever credential is used, from the next request on.

const USAGE = 'npm run account -- suspend|restore E-MAIL|ID [--remote | --local [--persist-to DIR]]'

/** What each command writes, unless it is so already. */
const COMMANDS: Record<string, { value: string; when: string; done: string }> = {
  suspend: { value: 'unixepoch() * 1000', when: 'is null', done: 'is suspended' },
  restore: { value: 'null', when: 'is not null', done: 'is active again' },
}

const [name = '', who = '', ...target] = process.argv.slice(2)
const command = COMMANDS[name]
if (!command || who === '' || who.startsWith('-')) {
  console.error(`Usage: ${USAGE}`)
  process.exit(2)
}

const where = /^[1-9][0-9]*$/.test(who) ? `id = ${who}` : `email_key = ${quote(normaliseEmail(who))}`
const rows = await queryDatabase(
  `update users set suspended_at = ${command.value} where ${where} and suspended_at ${command.when};
   select id, email, suspended_at from users where ${where};`,
  target.length > 0 ? target : ['--local'],
)
const [account] = rows
if (!account) {
  console.error(`There is no account ${who}.`)
  process.exit(1)
}
console.log(`Account ${account.id} (${account.email ?? 'without an e-mail address'}) ${command.done}.`)

/** A text as SQL writes it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
