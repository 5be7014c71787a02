import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { ROOT } from '../../scripts/lib/root.ts'

// A process of its own that serves a built Worker: `node serve-worker.ts SETTINGS` with a file of WorkerSettings. The
// Worker itself listens, so nothing else is measured. The command of the package serves only Galaxy, and through
// Miniflare's entry.

/** What a Worker is, and where it is served. */
export interface WorkerSettings {
  /** The folder of the built Worker. */
  bundle: string
  /** The name of its file. */
  file: string
  /** The bindings and flags of the Worker, as wrangler reads them from its configuration. */
  options: object
  /** Variables that differ from the configuration. */
  bindings: object
  /** The folder that `npm start` calls `--persist-to`. */
  state: string
  port: number
}

// Loading Miniflare takes half of the time of a start.
enableCompileCache(join(ROOT, '.wrangler', 'compiled'))
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')

const [settingsFile = ''] = process.argv.slice(2)
const settings: WorkerSettings = JSON.parse(readFileSync(settingsFile, 'utf8'))
const { bundle, file, bindings, state, port } = settings
const options = settings.options as Partial<V4WorkerOptions>
const path = join(bundle, file)
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    log: new Log(LogLevel.ERROR),
    logRequests: false,
    // The log of the Worker is discarded, but its errors are in the message if it does not start.
    handleStructuredLogs: ({ level, message }) => (level === 'error' ? console.error(message) : undefined),
    resourcePersistencePath: join(state, 'v3'),
    cf: false,
    workers: [
      {
        ...options,
        bindings: { ...options.bindings, ...bindings },
        // A part of the names of the objects' databases.
        name: 'galaxy',
        rootPath: bundle,
        modulesRoot: bundle,
        modules: [{ type: 'ESModule', path, contents: readFileSync(path, 'utf8') }],
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
      } as V4WorkerOptions,
    ],
  }),
)
async function stop(): Promise<void> {
  await miniflare.dispose()
  process.exit(0)
}

process.on('SIGTERM', stop)
await miniflare.ready
