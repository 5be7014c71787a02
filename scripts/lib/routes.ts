import { parseArgs } from 'node:util'
import { readArgumentsOr } from './command.ts'
import { readRoutes } from './read-routes.ts'
import { linesOf, PARTS, printLines } from './route-lines.ts'

// npm run routes [-- --users] [--pages] [--lab]
// Prints the whole surface: method, path, operation and file, by feature.

const { values } = readArgumentsOr('npm run routes [-- --users] [--pages] [--lab]', () =>
  parseArgs({ options: { users: { type: 'boolean' }, pages: { type: 'boolean' }, lab: { type: 'boolean' } } }),
)
process.stdout.write(
  printLines(
    linesOf(await readRoutes()),
    PARTS.filter((part) => values[part]),
  ),
)
