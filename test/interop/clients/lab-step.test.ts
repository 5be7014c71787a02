import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import { makeBuildFolder, serviceUrl } from '../journey.ts'

// The step of CI in docs/lab.md, as it stands: the sections '## Runs', '### What is known to fail' and '### A driver in
// ten lines'.

const run = promisify(execFile)
const page = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
const codeOf = (heading: string, language: string) => codesOf(sectionOf(page, heading), language)[0] ?? ''

/** Runs the step in a folder with the driver. @returns The exit code, and what was printed */
async function runStep(folder: string, known: object): Promise<{ code: number; stdout: string }> {
  await writeFile(join(folder, 'driver.mjs'), codeOf('### A driver in ten lines', 'js'))
  await writeFile(join(folder, 'known.json'), JSON.stringify(known))
  const step = codeOf('## Runs', 'bash').replace('http://localhost:8787', serviceUrl())
  return await run('bash', ['-c', step], { cwd: folder }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  )
}

it('the step of CI passes with the driver, and fails if a case is not known to fail', async () => {
  const folder = await makeBuildFolder('clients', 'lab-step')
  const known = JSON.parse(codeOf('### What is known to fail', 'json'))
  const passed = await runStep(folder, known)
  expect(passed).toEqual({ code: 0, stdout: expect.stringContaining('{"unexpected":[],"missing":[],"stale":[]}') })
  const [report = ''] = passed.stdout.split('\n')
  expect(await (await fetch(report)).text()).toContain(`${known.tool} ${known.version}`)
  const { results } = await (await fetch(report.replace(/\/report$/, ''))).json()
  const verdicts = results.map((result: { case: string; verdict: string }) => [result.case, result.verdict])
  expect(Object.fromEntries(verdicts)).toMatchObject({ 'body/base64': 'pass', 'body/base64url': 'pass' })
  const { 'query/falsy': _, ...fewer } = known.expect
  expect(await runStep(folder, { ...known, expect: fewer })).toMatchObject({ code: 22 })
  const stale = { ...known.expect, 'path/simple-string': 'It passes.' }
  expect(await runStep(folder, { ...known, expect: stale })).toMatchObject({ code: 22 })
})
