import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/lib/wrangler.ts'

/** Loads a package of the workspace of tools. */
export const requireTool = createRequire(join(ROOT, 'test', 'tools', 'package.json'))
