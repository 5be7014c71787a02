/// <reference lib="esnext.disposable" preserve="true" />

import { join } from 'node:path'
import { URL } from 'node:url'
import { openThread, type Thread } from './open-thread.ts'
import { PACKAGE, requireNode } from './package-folder.ts'
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
 * Starts a server, and waits until it is ready. If `GALAXY_URL` has the address of one that runs already, and no option
 * says how the server has to be, it uses that one, as `connectGalaxy` does.
 *
 * It ends with this process, however this process ends, and does not keep this process running.
 *
 * @throws Error with what the command has printed, if it fails or is not ready in time. Then no process is left
 */
export async function startGalaxy(options: StartOptions = {}): Promise<Galaxy> {
  requireNode()
  const { timeoutMs = START_TIMEOUT_MS, ...wanted } = options
  const { GALAXY_URL: running, NODE_OPTIONS: _, ...env } = process.env
  if (running && Object.values(wanted).every((value) => value === undefined)) return await connectGalaxy(running)
  const thread = openThread()
  const file = join(PACKAGE, 'bin', 'galaxy.cjs')
  const settings = { file, args: argumentsFor(wanted), cwd: process.cwd(), env, timeoutMs }
  let stopped: Promise<void> | undefined
  const stop = async () => {
    await thread.call('stopCommand')
    await thread.end()
  }
  try {
    const url = await thread.call('startCommand', settings)
    return galaxyAt(url, thread, () => (stopped ??= stop()))
  } catch (error) {
    await thread.end()
    throw error
  }
}

/**
 * Uses a server that runs already: in a container, in another step of a CI job, or of somebody else. `stop` leaves it
 * running.
 *
 * @param url The base URL of its common world
 * @throws Error if the URL is wrong, or no Galaxy answers there
 */
export async function connectGalaxy(url: string): Promise<Galaxy> {
  requireNode()
  const base = url.replace(/\/+$/, '')
  if (!/^https?:/.test(base) || !URL.canParse(base)) throw new Error(`${url} is not the URL of a server`)
  const thread = openThread()
  try {
    await thread.call('checkServer', base)
    return galaxyAt(base, thread, () => thread.end())
  } catch (error) {
    await thread.end()
    throw error
  }
}

function galaxyAt(url: string, thread: Thread, stop: () => Promise<void>): Galaxy {
  return { url, makeUniverse: (options) => makeUniverse(thread, url, options), stop, [Symbol.asyncDispose]: stop }
}

/** Options that exclude each other are all passed on: the command says what is wrong. */
function argumentsFor({
  memory,
  persistTo,
  seed,
  port = 0,
  ip,
  variables = {},
}: Omit<StartOptions, 'timeoutMs'>): string[] {
  const isTemporary = memory ?? (persistTo === undefined && seed === undefined)
  const entries = Object.entries({ port: String(port), ip, 'persist-to': persistTo, seed })
  return [
    ...entries.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...(isTemporary && seed === undefined ? ['--memory'] : []),
    ...Object.entries(variables).map(([name, value]) => `--var=${name}:${value}`),
  ]
}
