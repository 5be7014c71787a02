import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'

it('what wrangler prints is whole, also if a part of it ends within a character', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-wrangler-output-'))
  const program = join(folder, 'wrangler.mjs')
  await writeFile(
    program,
    `process.stdout.write(Buffer.from([0xf0, 0x9f]))
     setTimeout(() => process.stdout.write(Buffer.from([0xaa, 0x90])), 100)`,
  )
  vi.stubEnv('GALAXY_WRANGLER', program)
  vi.resetModules()
  const { runWrangler } = await import('../../scripts/lib/wrangler.ts')
  expect(await runWrangler([])).toBe('🪐')
  await rm(folder, { recursive: true })
})
