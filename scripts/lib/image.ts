import { Failure } from './failure.ts'
import { readImageArguments, USAGE } from './image-arguments.ts'
import { removeImage } from './images.ts'
import { runCommand } from './run-command.ts'
import { queryThroughWrangler } from './wrangler.ts'

// npm run image -- remove KEY|URL [--remote | --local [--persist-to DIR]]

await runCommand(async () => {
  const options = readImageArguments(process.argv.slice(2))
  if (!options) throw new Failure(`Usage: ${USAGE}`, 2)
  for (const line of await removeImage(options.key, queryThroughWrangler(options.target))) console.log(line)
})
