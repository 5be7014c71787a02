import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import { describeLanguage, makeBuildFolder, run, serviceUrl } from '../journey.ts'

// Runs what the documentation tells users of Java to paste.

describeLanguage('java', () => {
  it('create a planet as docs/tools.md says under "Java"', async () => {
    const page = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')
    const text = sectionOf(page, '### Java').replaceAll('http://localhost:8787', serviceUrl())
    const [, file = ''] = /^Save this program as `([\w./-]+)`:$/m.exec(text) ?? []
    const [program = ''] = codesOf(text, 'java')
    const [generate = '', compile = ''] = codesOf(text, 'bash')
    const folder = await makeBuildFolder('java', 'quick-start')
    await run(['bash', '-e', '-c', generate], folder)
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), program)
    expect(await run(['bash', '-e', '-c', compile], folder)).toMatch(/^\d+ Arrakis$/m)
  })
})
