import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { bodyOf } from '../../service/galaxy.ts'
import { allowDevice, registerDevice, type Send } from '../../support/oauth.ts'
import { describeLanguage, serviceUrl } from '../journey.ts'
import { folderOf } from '../languages.ts'

// requests-oauthlib signs a device in (RFC 8628): docs/authentication.md says how.

const python = join(folderOf('python'), 'build', 'venv', 'bin', 'python')

describeLanguage('python', () => {
  it('requests-oauthlib signs a device in, and refreshes its token', async () => {
    const url = serviceUrl()
    const send: Send = (path, init) => fetch(new URL(path, url), { redirect: 'manual', ...init })
    const account = { name: 'Ada', email: `${crypto.randomUUID()}@galaxy.example`, password: 'i-love-planets' }
    const body = JSON.stringify(account)
    const headers = { 'Content-Type': 'application/json' }
    const user = await bodyOf(await send('/user/signup', { method: 'POST', body, headers }))
    const { id } = await registerDevice(send, { client_name: 'Television' })
    const env = { ...process.env, GALAXY_URL: url, CLIENT_ID: id, OAUTHLIB_INSECURE_TRANSPORT: '1' }
    const device = spawn(python, ['-B', 'device.py'], {
      cwd: folderOf('python'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exited = once(device, 'exit')
    let errors = ''
    device.stderr.on('data', (chunk) => (errors += chunk))
    const lines: string[] = []
    for await (const line of createInterface({ input: device.stdout })) {
      lines.push(line)
      // It has polled once before its user decides.
      if (line === 'authorization_pending') await allowDevice(send, account, JSON.parse(lines[0] ?? '').user_code)
    }
    expect([await exited, errors]).toEqual([[0, null], ''])
    expect(lines.slice(1, -1)).toEqual(['authorization_pending'])
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ id: user.id, name: 'Ada' })
  })
})
