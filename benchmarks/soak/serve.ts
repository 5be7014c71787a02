import { makeStateFolder, startGalaxy } from '../../test/service/galaxy.ts'
import { queryState } from '../../test/service/local-database.ts'
import { freePort } from '../../test/service/ports.ts'
import { prepareWorld } from '../../test/service/prepare-world.ts'

/**
 * What users do from one machine is not limited. They sign in once, so the cost of a password is not what is measured.
 * An attempt to call back can fail because this machine is busy. The next one comes soon, so that the end can wait for
 * it.
 */
const VARIABLES = [
  'TOKEN_RATE_LIMIT:1000000',
  'SIGNUP_RATE_LIMIT:1000000',
  'SOCKET_LIMIT:1000000',
  'PASSWORD_ITERATIONS:1000',
  `CALLBACK_RETRY_SECONDS:${Array(20).fill('5').join()}`,
]
const OPTIONS = VARIABLES.flatMap((variable) => ['--var', variable])

/**
 * Lets each isolate of the runtime collect its garbage from 4 MiB on. Without it, an isolate collects for the first
 * time when it has some 30 MiB, which takes the isolates of the local D1, R2, queue and proxy several minutes. Each
 * wrapper of a request that is not collected also keeps memory of the runtime itself
 * (github.com/cloudflare/workerd/issues/6894). So the memory would grow for minutes although nothing is lost, and a
 * small leak would not be seen.
 */
const COLLECTS_EARLY = { MINIFLARE_WORKERD_V8_FLAGS: '--initial-old-space-size=4' }

/** A service, and what it has noted. */
export interface Server {
  url: string
  /** How the attempts to call back have ended, by the status of the receiver or the error. */
  countAttempts(): Record<string, number>
  stop(): Promise<void>
}

const ATTEMPTS = 'select coalesce(error, status) as outcome, count(*) as count from attempts group by outcome'

/** Serves the package on a database of its own. */
export async function serve(): Promise<Server> {
  console.log('Preparing a database and building the package …')
  const state = await makeStateFolder()
  try {
    await prepareWorld(state.folder)
    const options = ['--port', String(await freePort()), '--persist-to', state.folder, ...OPTIONS]
    const galaxy = await startGalaxy(options, COLLECTS_EARLY)
    const stop = async () => {
      await galaxy.stop()
      await state.remove()
    }
    const countAttempts = () =>
      Object.fromEntries(queryState(state.folder, ATTEMPTS).map(({ outcome, count }) => [outcome, Number(count)]))
    return { url: galaxy.url, countAttempts, stop }
  } catch (error) {
    await state.remove()
    throw error
  }
}
