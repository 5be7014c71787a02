import { findViolations } from './layers.ts'
import { ROOT } from './root.ts'

const violations = await findViolations(ROOT)
// A file that the Worker does not import is reported with itself.
for (const { rule, from, to } of violations) console.error(`${rule}: ${from}${from === to ? '' : ` imports ${to}`}`)
if (violations.length > 0) {
  console.error('An import violates the layer rules. The rules are in scripts/lib/layers.ts.')
  process.exitCode = 1
}
