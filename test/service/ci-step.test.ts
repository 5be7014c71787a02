import { spawn } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../../scripts/lib/root.ts'
import { bodyOf } from './galaxy.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'
import { listCommandLines } from './processes.ts'

// The steps for GitHub Actions in docs/tools.md. The one that starts the service runs here as it is, except that the
// port and the state are this test's own, and that the packages are installed already.

const page = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')
const [, block = ''] = /## In CI\n.*?```yaml\n(.*?)```/s.exec(page) ?? []
const steps: { run?: string }[] = parse(block)

it('one documented step starts the service in CI, and ends when it answers', async () => {
  const state = await makePreparedState()
  const port = String(await freePort())
  await symlink(ROOT, join(state.folder, 'galaxy'))
  const line = steps.find(({ run }) => run?.includes('npm start'))?.run ?? ''
  const adapted = [
    ['npm ci', 'true'],
    ['npm start', `npm start -- --port ${port} --persist-to ${state.folder}`],
    ['galaxy.log', join(state.folder, 'galaxy.log')],
    ['8787', port],
  ].reduce((text, [from = '', to = '']) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, line)
  const step = spawn('bash', ['-c', adapted], { cwd: state.folder, detached: true, stdio: 'ignore' })
  const code = await new Promise((resolve) => step.on('exit', resolve))
  try {
    expect(code).toBe(0)
    expect(await bodyOf(await fetch(`http://localhost:${port}/planets/4`))).toMatchObject({ name: 'Mars' })
  } finally {
    process.kill(-(step.pid ?? 0), 'SIGTERM')
    await expect.poll(() => listCommandLines(state.folder)).toEqual([])
    await state.remove()
  }
})
