import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyExample, killDuringTest, runBoth } from '../../service/example-suite.ts'
import { makeProject, type Project } from '../../service/project.ts'
import { describeLanguage, serviceUrl } from '../journey.ts'
import { folderOf } from '../languages.ts'

// The test suite of examples/pytest.

const python = join(folderOf('python'), 'build', 'venv', 'bin', 'python')
const pytest = [python, '-B', '-m', 'pytest', '-p', 'no:cacheprovider']

describeLanguage('python', () => {
  let project: Project

  beforeAll(async () => {
    project = await makeProject()
  })

  afterAll(() => project.remove())

  it('the suite gives each file a universe, at its own service or at one that is there', async () => {
    const command = [...pytest, '-n', '4', '--dist', 'loadfile']
    const outputs = await runBoth(await copyExample('pytest', project), project, serviceUrl(), command)
    expect(outputs).toEqual([expect.stringMatching(/\d passed/)])
  })

  it('the suite leaves nothing if it is killed', async () => {
    const suite = await copyExample('pytest', project)
    const hang = "import time\n\n\ndef test_hangs(universe):\n    open('hanging', 'w').close()\n    time.sleep(1000)\n"
    await writeFile(join(suite, 'test_hang.py'), hang)
    await killDuringTest([...pytest, 'test_hang.py'], suite, project)
  })
})
