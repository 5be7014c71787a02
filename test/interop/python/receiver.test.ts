import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeOf, expected, judgeIn, PUBLIC_CASES } from '../../service/documented-receivers.ts'
import { describeLanguage, makeBuildFolder } from '../journey.ts'
import { folderOf } from '../languages.ts'

// Runs the function in docs/callbacks.md under "With a public key", with the package that it needs. The receiver in Python
// needs no package, so test/service runs it.

const python = join(folderOf('python'), 'build', 'venv', 'bin', 'python')

const HARNESS = `
import json, os
from verify_public import verify_public
cases = json.load(open(os.environ["CASES"], encoding="utf-8"))
print(json.dumps([verify_public(c["secret"], c["headers"], c["body"].encode(), c["now"]) for c in cases]))
`

describeLanguage('python', () => {
  it('with a public key, accepts what the private key has signed, just now, and nothing else', async () => {
    const folder = await makeBuildFolder('python', 'receiver')
    await writeFile(join(folder, 'verify_public.py'), codeOf('With a public key', 'python'))
    await writeFile(join(folder, 'judge.py'), HARNESS)
    const verdicts = await judgeIn(folder, PUBLIC_CASES, python, 'judge.py')
    expect(verdicts).toEqual(expected(PUBLIC_CASES))
  })
})
