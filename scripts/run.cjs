// Every command starts here. An old Node reads the `.ts` files of this folder as CommonJS, because package.json in this
// folder says so. So they contain only plain JavaScript, and the check of the version can run.

const { enableCompileCache, registerHooks } = require('node:module')
const { join } = require('node:path')
const { devDependencies, scripts } = require('../package.json')

/** Loads `lib/<name>.ts`. If Node is too old, prints which command to use instead, and ends. */
module.exports = function run(name) {
  const neededMajor = Number.parseInt(devDependencies.node, 10)
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
    // Compiling the modules each time would take up to a quarter of the time of a command.
    enableCompileCache(join(__dirname, '..', '.wrangler', 'compiled'))
    registerHooks({ resolve: resolveInDrizzle })
    return import(`./lib/${name}.ts`)
  }
  const typed = ['node', `scripts/${name}.ts`, ...process.argv.slice(2)].join(' ')
  // Some npm commands run the same file and differ only in their arguments, so one with the same arguments comes first.
  const command =
    findCommand((script) => script.endsWith(typed)) ?? findCommand((script) => script.includes(`scripts/${name}.ts`))
  const instead = command ? `npm run ${command}` : `npx ${typed}`
  console.error(
    `scripts/${name}.ts needs Node ${neededMajor} or newer, and this is Node ${process.versions.node}. Use the Node that npm has installed: ${instead}`,
  )
  process.exit(1)
}

/**
 * Resolves the imports between files of drizzle-orm. Node itself would parse the large package.json of drizzle-orm for each
 * of these files, which takes most of a second.
 */
function resolveInDrizzle(specifier, context, nextResolve) {
  const isWithin = specifier.startsWith('.') && context.parentURL?.includes('/node_modules/drizzle-orm/')
  if (!isWithin) return nextResolve(specifier, context)
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
}

/** The name of the first npm command whose script matches. */
function findCommand(matches) {
  return Object.keys(scripts).find((command) => matches(scripts[command]))
}
