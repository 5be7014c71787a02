import { makeStateFolder, startGalaxy } from '../../test/service/galaxy.ts'
import { freePort } from '../../test/service/ports.ts'
import { prepareWorld } from '../../test/service/prepare-world.ts'

/** What users do from one machine is not limited. They sign in once, so the cost of a password is not what is measured. */
const VARIABLES = [
  'TOKEN_RATE_LIMIT:1000000',
  'SIGNUP_RATE_LIMIT:1000000',
  'SOCKET_LIMIT:1000000',
  'PASSWORD_ITERATIONS:1000',
]
const OPTIONS = VARIABLES.flatMap((variable) => ['--var', variable])

/** Serves the built Worker on a database of its own. */
export async function serve(): Promise<{ url: string; stop(): Promise<void> }> {
  console.log('Preparing a database and building the Worker …')
  const [state, built] = [await makeStateFolder(), await makeStateFolder()]
  const removeBoth = async () => void (await Promise.all([state.remove(), built.remove()]))
  try {
    await prepareWorld(state.folder, built.folder)
    const galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...OPTIONS])
    const stop = async () => {
      await galaxy.stop()
      await removeBoth()
    }
    return { url: galaxy.url, stop }
  } catch (error) {
    await removeBoth()
    throw error
  }
}
