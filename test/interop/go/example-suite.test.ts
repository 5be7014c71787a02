import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyExample, killDuringTest, runBoth, runSuite } from '../../service/example-suite.ts'
import { makeProject, type Project } from '../../service/project.ts'
import { describeLanguage, serviceUrl } from '../journey.ts'

// The test suite of examples/go.

describeLanguage('go', () => {
  let project: Project

  beforeAll(async () => {
    project = await makeProject()
  })

  afterAll(() => project.remove())

  it('the suite gives each test a universe, at its own service or at one that is there', async () => {
    const command = ['go', 'test', '-count=1', '-parallel', '4']
    const outputs = await runBoth(await copyExample('go', project), project, serviceUrl(), command)
    expect(outputs).toEqual([expect.stringMatching(/^ok/m)])
  })

  it('the suite is formatted as gofmt formats it', async () => {
    expect(await runSuite(['gofmt', '-l', '.'], await copyExample('go', project))).toBe('')
  })

  it('the suite leaves nothing if it is killed', async () => {
    const suite = await copyExample('go', project)
    const imports = 'import (\n\t"os"\n\t"testing"\n)'
    const body = '\tnewUniverse(t)\n\tos.WriteFile("hanging", nil, 0o600)\n\tselect {}'
    const hang = `package galaxy\n\n${imports}\n\nfunc TestHangs(t *testing.T) {\n${body}\n}\n`
    await writeFile(join(suite, 'hang_test.go'), hang)
    await runSuite(['go', 'test', '-c', '-o', 'suite.test'], suite)
    await killDuringTest([join(suite, 'suite.test'), '-test.run', 'Hangs'], suite, project)
  })
})
