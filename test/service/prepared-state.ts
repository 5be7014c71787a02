import { cp } from 'node:fs/promises'
import { inject } from 'vitest'
import { makeStateFolder } from './galaxy.ts'

/** A new state folder with a copy of the prepared database, so that a test need not prepare one. */
export async function makePreparedState(): ReturnType<typeof makeStateFolder> {
  const state = await makeStateFolder()
  await cp(inject('preparedState'), state.folder, { recursive: true })
  return state
}

/**
 * The service for all test files that need no options, no restarts, and no machine to themselves. Each file has its own
 * users there, and does not depend on how many other users there are.
 */
export const shareGalaxy = () => inject('shared')
