import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { WORKERS } from '../../benchmarks/performance/builds.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { bundleForWorker } from '../../scripts/lib/worker-bundle.ts'

// CI does not run the benchmarks, because their figures need a quiet machine. This finds a class that one of their
// Workers lacks, without which it does not start.

it.each(Object.values(WORKERS))('%s has every class that the configuration names', async (entry) => {
  const { metafile } = await bundleForWorker(join(ROOT, entry))
  const exported = Object.values(metafile.outputs).flatMap((output) => output.exports)
  const { durable_objects } = parse(await readFile(join(ROOT, 'wrangler.toml'), 'utf8')) as {
    durable_objects: { bindings: { class_name: string }[] }
  }
  const named = durable_objects.bindings.map(({ class_name }) => class_name)
  expect(named.length).toBeGreaterThan(0)
  expect(exported).toEqual(expect.arrayContaining(named))
})
