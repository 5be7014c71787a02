import { join } from 'node:path'

// `wrangler dev` opens ports on loopback that need no credential and give everything: two debuggers, and one by which
// the runtimes of several services of wrangler call one another. The debugger of the runtime obeys every web page that
// is open in a browser of the machine: it does not look at the origin of a page, and its path is known. wrangler can
// run without these ports, but has no option for it.

/** The end of the path of the file with the commands of wrangler. */
export const COMMANDS = join('wrangler-dist', 'cli.js')

/** What `wrangler dev` says about these ports, and what it must say instead. */
const PORTS = [
  [/inspector: \{\s+hostname: args\.inspectorIp,\s+port: args\.inspectorPort\s+\}/g, 'inspector: false'],
  [/registry: args\.disableDevRegistry \? void 0 : getRegistryPath\(\)/g, 'registry: void 0'],
] as const

/**
 * Removes these ports from the code of wrangler's commands.
 *
 * @throws Error if the code is not as expected. So nothing starts that has such a port
 */
export function closeCommands(source: string): string {
  return PORTS.reduce((code, [port, none]) => {
    if (code.match(port)?.length !== 1) throw new Error(`${COMMANDS} cannot be closed`)
    return code.replace(port, none)
  }, source)
}
