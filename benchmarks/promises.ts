import { makeStateFolder } from '../test/service/galaxy.ts'
import { npmStart } from '../test/service/npm-start.ts'
import { freePort } from '../test/service/ports.ts'
import { compareBasicWithBearer } from './basic.ts'
import { compareBesideHanging } from './callbacks.ts'
import { measureEchoMemory } from './echo.ts'
import type { Finding } from './measure.ts'
import { compareUnknownWithWrong } from './unknown-account.ts'

const PROMISES = [compareBasicWithBearer, compareUnknownWithWrong, measureEchoMemory, compareBesideHanging]

/** Measures what the service promises about time and memory, on a service that `npm start` runs. */
export async function measurePromises(): Promise<Finding[]> {
  const state = await makeStateFolder()
  const limits = ['--var', 'TOKEN_RATE_LIMIT:100000']
  const galaxy = await npmStart(['--port', String(await freePort()), '--persist-to', state.folder, ...limits])
  const findings: Finding[] = []
  try {
    for (const measure of PROMISES) findings.push(...(await measure(galaxy.url)))
  } finally {
    await galaxy.stop()
    await state.remove()
  }
  return findings
}
