import { join } from 'node:path'
import { ROOT } from './root.ts'
import { describeStart, isTooSlow, measureStart } from './start-cost.ts'

// Checks the CPU time that the Worker needs to start, with what `npm run build` has written to dist/.

const [folder = join(ROOT, 'dist')] = process.argv.slice(2)
const cost = await measureStart(join(folder, 'index.js'))
console.log(describeStart(cost))
if (isTooSlow(cost)) process.exitCode = 1
