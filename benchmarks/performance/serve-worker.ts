import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'

// A process of its own that serves a built Worker: `node serve-worker.ts SETTINGS` with a file of WorkerSettings. The
// runtime itself listens at the port. `wrangler dev` would put a proxy in front, which costs more than most requests.

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

const [settingsFile = ''] = process.argv.slice(2)
const settings: WorkerSettings = JSON.parse(readFileSync(settingsFile, 'utf8'))
const { bundle, file, bindings, state, port } = settings
const options = settings.options as Partial<V4WorkerOptions>
const path = join(bundle, file)
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    log: new Log(LogLevel.ERROR),
    // The log of the Worker is discarded, but its errors are shown.
    handleStructuredLogs: ({ level, message }) => (level === 'error' ? console.error(message) : undefined),
    resourcePersistencePath: join(state, 'v3'),
    cf: false,
    workers: [
      {
        ...options,
        bindings: { ...options.bindings, ...bindings },
        name: 'worker',
        rootPath: bundle,
        modulesRoot: bundle,
        modules: [{ type: 'ESModule', path, contents: readFileSync(path, 'utf8') }],
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
      } as V4WorkerOptions,
    ],
  }),
)
process.on('SIGTERM', async () => {
  await miniflare.dispose()
  process.exit(0)
})
await miniflare.ready
