// Every command starts here. An old Node reads the `.ts` files of this folder as CommonJS, because package.json in this
// folder says so. So they contain only plain JavaScript, and the check of the version can run.

const { enableCompileCache } = require('node:module')
const { join } = require('node:path')
const { devDependencies, scripts } = require('../package.json')

/** Loads `lib/<name>.ts`; on a Node that is too old it says in a line what to do instead, and ends. */
module.exports = function run(name) {
  const needed = Number.parseInt(devDependencies.node, 10)
  if (Number.parseInt(process.versions.node, 10) >= needed) {
    // Compiling the modules each time would take up to a quarter of the time of a command.
    enableCompileCache(join(__dirname, '..', '.wrangler', 'compiled'))
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

/** The name of an npm command. */
function findCommand(isMeant) {
  return Object.keys(scripts).find((command) => isMeant(scripts[command]))
}
