import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { V4WorkerOptions } from 'miniflare'
import { changeOnRead } from '../../scripts/lib/change-on-read.ts'
import { closeEntry, ENTRY } from '../../scripts/lib/closed-entry.ts'
import { AS_ASKED_FOR } from '../../src/domain/broken-off.ts'
import { Failure } from './exit.ts'
import { guardRuntimes } from './guard-runtimes.ts'

// The Workers runtime, through Miniflare's API: the same that `wrangler dev` uses, without what only a developer of the
// Worker needs.

export interface RuntimeSettings {
  /** The folder with the built Worker (`scripts/lib/build-package.ts`). */
  built: string
  /** The options of the Worker (`readWorkerOptions`). */
  options: Partial<V4WorkerOptions>
  /** The folder of the files that the Worker reads. */
  assets: string
  /** Variables and secrets, over those of wrangler.toml. */
  bindings: Record<string, string>
  /** The folder that wrangler calls `--persist-to`. */
  state: string
  /** The address at which it listens; undefined: loopback. */
  ip: string | undefined
  port: number
  /** Whether requests and the output of the Worker are printed, and not only warnings and errors. */
  printsAll: boolean
}

export interface Runtime {
  /** Answers what is under way, for a moment, and ends the runtime. */
  stop(): Promise<void>
}

/** How the Worker refuses its configuration (src/env.ts). */
const INVALID = /(The service cannot start because its configuration is not valid:(?:\n {2}[A-Z_]+: .*)+)/

/** How the runtime reports that a response was broken off. If somebody asked for it, nobody has to know. */
const BROKEN_OFF = new RegExp(`^Uncaught exception: .*, ${AS_ASKED_FOR}$`)

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long requests that are under way have to end. */
const DRAIN_MS = 1_500

/** The options of the built Worker, as wrangler reads them from its configuration. */
export async function readWorkerOptions(built: string): Promise<Partial<V4WorkerOptions>> {
  return JSON.parse(await readFile(join(built, 'worker.json'), 'utf8'))
}

/** Starts a runtime, and waits until it listens. @throws Error with the code `ERR_ADDRESS_IN_USE` if the port is taken */
export type StartRuntime = (settings: RuntimeSettings) => Promise<Runtime>

/**
 * Loads the runtime, which takes as long as its start. A process does it once.
 *
 * @param cron The text that runs the scheduled job
 */
export async function loadRuntime(cron: string): Promise<StartRuntime> {
  const runtimeProcess = guardRuntimes()
  changeOnRead({ [ENTRY]: (source) => closeEntry(source, { cron, isBehindProxy: false }) })
  // Loaded only now, because it reads the code of its runtime meanwhile.
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')

  return async ({ built, options, assets, bindings, state, ip = 'localhost', port, printsAll }) => {
    const path = join(built, 'worker', 'index.js')
    const print = printsAll ? console.log : console.error
    const log = new (class extends Log {
      override log(message: string): void {
        print(message)
      }
      // The command says itself that the service is ready.
      override logReady(): void {}
    })(printsAll ? LogLevel.INFO : LogLevel.WARN, { prefix: 'galaxy' })
    let invalid: string | undefined
    // If the configuration is not valid, the runtime says so, and many other things that follow from it.
    const early: string[] = []
    let printError = (message: string): void => void early.push(message)
    const runtimeOptions = convertV4MiniflareOptions({
      log,
      logRequests: printsAll,
      handleStructuredLogs: ({ level, message }) => {
        if (BROKEN_OFF.test(message.trim())) return
        invalid ??= INVALID.exec(message)?.[1]
        if (level === 'error' || level === 'warn') printError(message)
        else if (printsAll) console.log(message)
      },
      resourcePersistencePath: join(state, 'v3'),
      // Otherwise Miniflare would ask Cloudflare where this machine is.
      cf: false,
      host: ip,
      port,
      unsafeTriggerHandlers: true,
      workers: [
        {
          ...options,
          bindings: { ...options.bindings, ...bindings },
          assets: { ...options.assets, directory: assets },
          // A part of the names of the objects' databases.
          name: 'galaxy',
          rootPath: built,
          modulesRoot: join(built, 'worker'),
          modules: [{ type: 'ESModule', path, contents: await readFile(path, 'utf8') }],
        } as V4WorkerOptions,
      ],
    })
    const miniflare = withoutSignals(() => new Miniflare(runtimeOptions))
    try {
      await miniflare.ready
    } catch (error) {
      await miniflare.dispose().catch(() => {})
      if (invalid !== undefined) throw new Failure('arguments', invalid)
      throw error
    } finally {
      printError = console.error
      if (invalid === undefined) early.forEach(printError)
    }
    return {
      async stop() {
        const child = runtimeProcess()
        // Miniflare must know before it sees the end, or it would start the runtime again.
        const ended = new Promise((resolve) => child?.once('exit', () => resolve(miniflare.dispose())))
        // With this signal, the runtime accepts nothing new, and ends after its last response.
        child?.kill('SIGTERM')
        await Promise.race([ended, sleep(DRAIN_MS)])
        await miniflare.dispose()
      },
    }
  }
}

/** Makes a Miniflare that does not end this process when it gets a signal: main.ts ends it, after the last response. */
function withoutSignals<T>(make: () => T): T {
  const before = STOP_SIGNALS.map((signal) => process.listeners(signal))
  const made = make()
  for (const [index, signal] of STOP_SIGNALS.entries()) {
    const added = process.listeners(signal).filter((listener) => !before[index]?.includes(listener))
    for (const listener of added) process.off(signal, listener)
  }
  return made
}
