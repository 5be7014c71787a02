/// <reference lib="esnext.disposable" preserve="true" />

import { runCommand } from './process.ts'
import { makeUniverse, type Universe, type UniverseOptions } from './universe.ts'

export type { Universe, UniverseOptions }

// The library of the package: Galaxy in a process of its own, for the tests of other programs. docs/testing.md explains
// it.

/** The options of the command `galaxy`. */
export interface StartOptions {
  /**
   * Whether the state is in a temporary folder, which is removed at the end. The default is true, unless there is
   * `persistTo`. False without `persistTo` means the folder `.galaxy` in the working folder.
   */
  memory?: boolean | undefined
  /** The folder of the state. It is kept, and only one server at a time can use it. */
  persistTo?: string | undefined
  /** Makes the same ids in each run: 1 to 64 letters, digits, `.`, `_` and `-`. The state is as with `memory`. */
  seed?: string | undefined
  /** The default is 0: a free port. */
  port?: number | undefined
  /** The address at which it listens. The default is loopback. */
  ip?: string | undefined
  /** Variables of the configuration, such as `{ LOG_REQUESTS: 'off' }`, see docs/operating.md. */
  variables?: Readonly<Record<string, string>> | undefined
  /** How long a start may take, in milliseconds. The default is a minute. */
  timeoutMs?: number | undefined
}

/** A running server. `await using` stops it at the end of the block. */
export interface Galaxy extends AsyncDisposable {
  /** The base URL of the common world, without a slash at the end. */
  readonly url: string
  /**
   * Makes a universe: the whole service at a base URL of its own, with data that nobody else changes.
   *
   * @throws Error if the server refuses, or cannot be reached
   */
  makeUniverse(options?: UniverseOptions): Promise<Universe>
  /**
   * Ends the server, and waits until its processes have ended. A second call waits for the same end. A server that was
   * only connected to goes on.
   */
  stop(): Promise<void>
}

/** Longer than a start takes on a busy machine. */
const START_TIMEOUT_MS = 60_000

/**
 * Starts a server, and waits until it is ready.
 *
 * It ends with this process, however this process ends, and does not keep this process running.
 *
 * @throws Error with what the command has printed, if it fails or is not ready in time. Then no process is left
 */
export async function startGalaxy(options: StartOptions = {}): Promise<Galaxy> {
  const { url, stop } = await runCommand(argumentsFor(options), options.timeoutMs ?? START_TIMEOUT_MS)
  return galaxyAt(url, stop)
}

/**
 * Uses a server that runs already: in a container, in another step of a CI job, or of somebody else. `stop` leaves it
 * running.
 *
 * @param url The base URL of its common world
 * @throws Error if the URL is wrong, or no Galaxy answers there
 */
export async function connectGalaxy(url: string): Promise<Galaxy> {
  const base = url.replace(/\/+$/, '')
  if (!/^https?:/.test(base) || !URL.canParse(base)) throw new Error(`${url} is not the URL of a server`)
  const response = await fetch(`${base}/healthz`).catch((cause) => {
    throw new Error(`No server answers at ${base}`, { cause })
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The server at ${base} is not a Galaxy that runs: /healthz is ${response.status}`)
  return galaxyAt(base, async () => {})
}

function galaxyAt(url: string, stop: () => Promise<void>): Galaxy {
  return { url, makeUniverse: (options) => makeUniverse(url, options), stop, [Symbol.asyncDispose]: stop }
}

/** Options that exclude each other are all passed on: the command says what is wrong. */
function argumentsFor({ memory, persistTo, seed, port = 0, ip, variables = {} }: StartOptions): string[] {
  const isTemporary = memory ?? (persistTo === undefined && seed === undefined)
  const entries = Object.entries({ port: String(port), ip, 'persist-to': persistTo, seed })
  return [
    ...entries.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...(isTemporary && seed === undefined ? ['--memory'] : []),
    ...Object.entries(variables).map(([name, value]) => `--var=${name}:${value}`),
  ]
}
