// Every command starts here. An old Node reads the `.ts` files of this folder as CommonJS, because package.json in this
// folder says so. So they contain only plain JavaScript, and the check of the version can run.

const { enableCompileCache, registerHooks } = require('node:module')
const { join } = require('node:path')
const { devDependencies, scripts } = require('../package.json')

/** Loads `lib/<name>.ts`; on a Node that is too old it says in a line what to do instead, and ends. */
module.exports = function run(name) {
  const needed = Number.parseInt(devDependencies.node, 10)
  if (Number.parseInt(process.versions.node, 10) >= needed) {
    // Compiling the modules each time would take up to a quarter of the time of a command.
    enableCompileCache(join(__dirname, '..', '.wrangler', 'compiled'))
    registerHooks({ resolve: resolveInDrizzle })
    return import(`./lib/${name}.ts`)
  }
  const line = ['node', `scripts/${name}.ts`, ...process.argv.slice(2)].join(' ')
  const command =
    findCommand((script) => script.endsWith(line)) ?? findCommand((script) => script.includes(`scripts/${name}.ts`))
  const instead = command ? `npm run ${command}` : `npx ${line}`
  console.error(
    `scripts/${name}.ts needs Node ${needed} or newer, and this is Node ${process.versions.node}. Use the one that npm has installed: ${instead}`,
  )
  process.exit(1)
}

/**
 * Resolves what a file of drizzle-orm imports from another one. Node would parse the package.json of that package for each
 * of its files, which is so large that this takes most of a second.
 */
function resolveInDrizzle(specifier, context, nextResolve) {
  const isWithin = specifier.startsWith('.') && context.parentURL?.includes('/node_modules/drizzle-orm/')
  if (!isWithin) return nextResolve(specifier, context)
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
}

/** The name of an npm command. */
function findCommand(matches) {
  return Object.keys(scripts).find((command) => matches(scripts[command]))
}
