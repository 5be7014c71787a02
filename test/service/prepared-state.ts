import { cp } from 'node:fs/promises'
import { inject } from 'vitest'
import { makeStateFolder } from './galaxy.ts'

/** A new state folder with a copy of the prepared database, so that `npm start` need not prepare one. */
export async function makePreparedState(): ReturnType<typeof makeStateFolder> {
  const state = await makeStateFolder()
  await cp(inject('preparedState'), state.folder, { recursive: true })
  return state
}

/**
 * The service that runs for every file whose tests need no options, no restarts and no quiet: a file has users of its own
 * there, and expects nothing of how many others there are.
 */
export const shareGalaxy = () => inject('shared')
