import { join } from 'node:path'
import { describeParts, describeSize, isTooLarge, measureBundle } from './bundle.ts'
import { ROOT } from './root.ts'

// Checks the size of what `npm run build` has written to dist/. With --parts, prints what the bundle consists of.

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? join(ROOT, 'dist')
const bundle = await measureBundle(folder)
console.log(describeSize(bundle))
if (isTooLarge(bundle) || process.argv.includes('--parts')) console.log(describeParts(bundle))
if (isTooLarge(bundle)) process.exitCode = 1
