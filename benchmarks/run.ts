import { freePort, makeStateFolder, startGalaxy } from '../test/service/galaxy.ts'
import { compareBasicWithBearer } from './basic.ts'
import { compareBesideHanging } from './callbacks.ts'
import { measureEchoMemory } from './echo.ts'
import { compareUnknownWithWrong } from './unknown-account.ts'

// `npm run benchmark`: measures what the service promises about time and memory, on a service of its own. Figures
// differ from machine to machine, so every promise is a ratio of two figures of one run.

const state = await makeStateFolder()
const limits = ['--var', 'TOKEN_RATE_LIMIT:100000']
const galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...limits])
const broken: string[] = []
try {
  for (const benchmark of [compareBasicWithBearer, compareUnknownWithWrong, measureEchoMemory, compareBesideHanging]) {
    for (const { name, ratio, atMost } of await benchmark(galaxy.url)) {
      const isKept = ratio <= atMost
      console.log(`${name}: ${ratio.toFixed(3)} times (at most ${atMost}), ${isKept ? 'kept' : 'BROKEN'}`)
      if (!isKept) broken.push(name)
    }
  }
} finally {
  await galaxy.stop()
  await state.remove()
}
process.exitCode = broken.length > 0 ? 1 : 0
