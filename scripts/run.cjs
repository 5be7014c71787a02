// `node scripts/run.cjs NAME` runs the command `lib/NAME.ts`. Plain CommonJS, so that an old Node can say which version is
// needed.

const { enableCompileCache, registerHooks } = require('node:module')
const { join } = require('node:path')
const { devDependencies, scripts } = require('../package.json')

const neededMajor = Number.parseInt(devDependencies.node, 10)
// The command finds its arguments where they would be if Node ran its file.
const [name] = process.argv.splice(2, 1)

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  // Compiling the modules each time would take up to a quarter of the time of a command.
  enableCompileCache(join(__dirname, '..', '.wrangler', 'compiled'))
  registerHooks({ resolve: resolveInDrizzle })
  import(`./lib/${name}.ts`)
} else {
  const { node } = process.versions
  console.error(
    `${name} needs Node ${neededMajor} or newer, and this is Node ${node}. Use the Node that npm has installed: ${findInstead()}`,
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

/** How the command is run with the Node that npm has installed. */
function findInstead() {
  const typed = ['node scripts/run.cjs', name, ...process.argv.slice(2)].join(' ')
  // Some npm commands run the same file and differ only in their arguments, so one with the same arguments comes first.
  const command =
    findCommand((script) => script.endsWith(typed)) ??
    findCommand((script) => `${script} `.includes(`scripts/run.cjs ${name} `))
  return command ? `npm run ${command}` : `npx ${typed}`
}

/** The name of the first npm command whose script matches. */
function findCommand(matches) {
  return Object.keys(scripts).find((command) => matches(scripts[command]))
}
