import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/wrangler.ts'
import { BROWSER_FILES } from '../../src/design/browser-files.ts'
import { shareGalaxy } from './prepared-state.ts'

const PACKAGE = join(ROOT, 'node_modules', '@scalar', 'api-reference')
const galaxy = shareGalaxy()

it.each(['standalone.js', 'standalone.js.map'])(
  'the API reference is served as its package contains it: %s',
  async (name) => {
    const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
    expect(BROWSER_FILES.reference).toBe(`/assets/reference-${version}/standalone.js`)
    const served = await fetch(new URL(name, new URL(BROWSER_FILES.reference, galaxy.url)))
    const shipped = await readFile(join(PACKAGE, 'dist', 'browser', name))
    expect(digest(await served.bytes())).toBe(digest(shipped))
  },
)

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
