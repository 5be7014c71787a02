import { cp } from 'node:fs/promises'
import { inject } from 'vitest'
import { makeStateFolder } from './galaxy.ts'

/** A state folder of one's own with a copy of the prepared database, so that `npm start` need not prepare one. */
export async function makePreparedState(): ReturnType<typeof makeStateFolder> {
  const state = await makeStateFolder()
  await cp(inject('preparedState'), state.folder, { recursive: true })
  return state
}
