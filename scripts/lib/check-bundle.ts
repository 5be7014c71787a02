import { join } from 'node:path'
import { describeParts, describeSize, findStrangers, isTooLarge, measureBundle } from './bundle.ts'
import { ROOT } from './root.ts'

// Checks the size of what `npm run build` has written to dist/, and that all of src/ is in it. With --parts, prints what
// the bundle consists of.

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? join(ROOT, 'dist')
const bundle = await measureBundle(folder)
console.log(describeSize(bundle))
if (isTooLarge(bundle) || process.argv.includes('--parts')) console.log(describeParts(bundle))
const strangers = await findStrangers(bundle, ROOT)
for (const path of strangers) console.log(`${path} is not in the bundle, and has more than types.`)
if (isTooLarge(bundle) || strangers.length > 0) process.exitCode = 1
