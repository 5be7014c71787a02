import { readAccountArguments, USAGE } from './account-arguments.ts'
import { changeAccount } from './accounts.ts'
import { confirm } from './confirm.ts'
import { Failure } from './failure.ts'
import { runCommand } from './run-command.ts'
import { queryThroughWrangler } from './wrangler.ts'

// npm run account -- suspend|restore|delete WHO [--yes] [--remote | --local [--persist-to DIR]]

await runCommand(async () => {
  const change = readAccountArguments(process.argv.slice(2), process.stdin.isTTY)
  if (!change) throw new Failure(`Usage: ${USAGE}`, 2)
  const lines = await changeAccount(change, { query: queryThroughWrangler(change.target), confirm })
  for (const line of lines) console.log(line)
})
