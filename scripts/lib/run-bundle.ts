import { readFileSync } from 'node:fs'
import { SourceTextModule, SyntheticModule } from 'node:vm'

// The program of a separate process, which loads a bundle in the way a Worker starts, and prints a StartCost: `node
// --experimental-vm-modules run-bundle.ts FILE`, with the bindings as JSON in the environment.

const [file = ''] = process.argv.slice(2)
const platform = {
  env: JSON.parse(process.env.WORKER_BINDINGS ?? '{}'),
  waitUntil: () => undefined,
  DurableObject: class {},
}
const source = readFileSync(file, 'utf8')

// A fixed text that is compiled first, as a measure of this machine. It has the size of a bundle.
const yardstick = Array.from({ length: 20_000 }, (_, index) => `export function f${index}(a) { return a + ${index} }`)
const beforeYardstick = cpuMs()
new SourceTextModule(yardstick.join('\n'))
const yardstickMs = cpuMs() - beforeYardstick
const beforeCompiling = cpuMs()
const bundle = new SourceTextModule(source)
const compileMs = cpuMs() - beforeCompiling
// Not measured: it only connects the bundle with a stand-in for the platform.
await bundle.link(linkPlatform)
const beforeRunning = cpuMs()
await bundle.evaluate()
const runMs = cpuMs() - beforeRunning
console.log(JSON.stringify({ yardstickMs, compileMs, runMs }))

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The module `cloudflare:workers`, with the parts that the Worker needs to start. */
function linkPlatform(specifier: string): SyntheticModule {
  if (specifier !== 'cloudflare:workers') throw new Error(`the bundle imports ${specifier}`)
  return new SyntheticModule(Object.keys(platform), function (this: SyntheticModule) {
    for (const [name, value] of Object.entries(platform)) this.setExport(name, value)
  })
}
