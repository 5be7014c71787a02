import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAccountArguments } from '../../scripts/lib/account-arguments.ts'
import { ROOT } from '../../scripts/lib/wrangler.ts'
import { documentedFetch } from '../support/documented-fetch.ts'
import { makePicture } from '../support/pictures.ts'
import { bodyOf, FOR_MANY_USERS, freePort, type Galaxy, startGalaxy } from './galaxy.ts'
import { makePreparedState } from './prepared-state.ts'

// `npm run account`, the operator's command.

const run = promisify(execFile)
const CREDENTIALS = { email: "o'Hara@galaxy.test", password: 'i-love-planets' }

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: Galaxy

beforeAll(async () => {
  state = await makePreparedState()
  galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...FOR_MANY_USERS])
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  documentedFetch(new URL(path, galaxy.url), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

/** What the command prints, and how it ends. */
async function account(...args: string[]): Promise<{ code: number; output: string }> {
  const command = ['run', '--silent', 'account', '--', ...args]
  try {
    return { code: 0, output: (await run('npm', command, { cwd: ROOT })).stdout }
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }
    return { code, output: stderr }
  }
}

it('suspends an account for every credential at once, while the service runs, and restores it', async () => {
  const target = ['--local', '--persist-to', state.folder]
  const user = await bodyOf(await post('/user/signup', CREDENTIALS))
  const { token } = await bodyOf(await post('/auth/token', CREDENTIALS))
  const bearer = { Authorization: `Bearer ${token}` }
  const { key } = await bodyOf(await post('/me/api-keys', {}, bearer))
  const basic = { Authorization: `Basic ${btoa(`${CREDENTIALS.email}:${CREDENTIALS.password}`)}` }
  const statuses = async () => {
    const calls = [bearer, basic, { 'X-API-Key': key }].map((headers) =>
      documentedFetch(new URL('/me', galaxy.url), { headers }),
    )
    return (await Promise.all(calls)).map(({ status }) => status)
  }
  expect(await statuses()).toEqual([200, 200, 200])
  const suspended = await account('suspend', CREDENTIALS.email.toUpperCase(), ...target)
  expect(suspended).toEqual({ code: 0, output: `Account ${user.id} (${CREDENTIALS.email}) is suspended.\n` })
  expect(await statuses()).toEqual([403, 403, 403])
  expect((await post('/auth/token', CREDENTIALS)).status).toBe(403)
  expect((await account('restore', String(user.id), ...target)).code).toBe(0)
  expect(await statuses()).toEqual([200, 200, 200])
  const nobody = await account('suspend', 'nobody@galaxy.test', ...target)
  expect(nobody).toEqual({ code: 1, output: 'Account nobody@galaxy.test does not exist.\n' })
})

it('deletes an account with everything that it owns, while the service runs', async () => {
  const target = ['--local', '--persist-to', state.folder]
  const credentials = { email: "d'Arc@galaxy.test", password: 'i-love-planets' }
  const user = await bodyOf(await post('/user/signup', credentials))
  const { token } = await bodyOf(await post('/auth/token', credentials))
  const bearer = { Authorization: `Bearer ${token}` }
  await post('/me/api-keys', {}, bearer)
  const planet = await bodyOf(await post('/planets', { name: 'Own', satellites: [{ name: 'Moon' }] }, bearer))
  const form = new FormData()
  form.set('image', new File([makePicture()], 'picture.png'))
  const upload = new URL(`/planets/${planet.id}/image`, galaxy.url)
  const { imageUrl } = await bodyOf(await documentedFetch(upload, { method: 'POST', body: form, headers: bearer }))
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await documentedFetch(new URL(path, galaxy.url), { headers })).status

  const shown = `Account ${user.id} (${credentials.email})`
  const belongings =
    '1 planets, 1 satellites and stars, 1 images, 1 API keys, 0 OAuth clients, 0 subscriptions, 0 logged callbacks'
  expect(await account('delete', credentials.email.toUpperCase(), '--yes', ...target)).toEqual({
    code: 0,
    output: `${shown} was deleted, together with all its credentials.\nThe service will remove the following within a minute: ${belongings}.\n`,
  })
  expect(await statusOf('/me', bearer)).toBe(401)
  expect((await post('/auth/token', credentials)).status).toBe(401)
  // The scheduled job, which runs every minute.
  expect((await fetch(new URL('/cdn-cgi/local/scheduled', galaxy.url))).ok).toBe(true)
  expect([await statusOf(`/planets/${planet.id}`), await statusOf(new URL(imageUrl).pathname)]).toEqual([404, 404])
  expect((await post('/user/signup', credentials)).status).toBe(201)

  const restored = await account('restore', String(user.id), ...target)
  expect(restored).toEqual({ code: 1, output: `Account ${user.id} does not exist.\n` })
})

it('does not delete the account that owns the shipped planets', async () => {
  expect(await account('delete', '1', '--yes', '--local', '--persist-to', state.folder)).toEqual({
    code: 1,
    output: 'Account 1 owns the shipped planets and cannot be deleted.\n',
  })
  expect((await documentedFetch(new URL('/planets/1', galaxy.url))).status).toBe(200)
})

it('says how it is used if it cannot know what is meant', async () => {
  const usage = { code: 2, output: expect.stringContaining('Usage: npm run account') }
  expect(await account('suspend')).toMatchObject(usage)
})

it.each([[], ['suspend'], ['delete', 'ada@galaxy.test'], ['delete', '--yes'], ['suspend', '--remote']])(
  'cannot know what is meant by the arguments %j',
  (...args) => expect(readAccountArguments(args, false)).toBeUndefined(),
)

it('asks whether to delete an account only if there is a terminal', () => {
  expect(readAccountArguments(['delete', 'ada@galaxy.test'], true)).toEqual({
    command: 'delete',
    who: 'ada@galaxy.test',
    isConfirmed: false,
    target: ['--local'],
  })
})
