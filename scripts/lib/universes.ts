import { Failure } from './failure.ts'
import { runCommand } from './run-command.ts'
import { endUniverse, listUniverses } from './universe-list.ts'
import { readUniversesArguments, USAGE } from './universes-arguments.ts'
import { queryThroughWrangler } from './wrangler.ts'

// npm run universes -- list | end ID [--remote | --local [--persist-to DIR]]

await runCommand(async () => {
  const options = readUniversesArguments(process.argv.slice(2))
  if (!options) throw new Failure(`Usage: ${USAGE}`, 2)
  const query = queryThroughWrangler(options.target)
  const lines = options.command === 'list' ? await listUniverses(query) : [await endUniverse(options.id, query)]
  for (const line of lines) console.log(line)
})
