import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { documentedFetch } from '../support/documented-fetch.ts'
import { makePicture } from '../support/pictures.ts'
import { sweep } from './callbacks-client.ts'
import { bodyOf, FOR_MANY_USERS, type ScheduledGalaxy, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// The operator's commands as processes, while the service runs. What they do is tested in test/worker/operator and in
// test/universes/operator.test.ts.

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: ScheduledGalaxy

beforeAll(async () => {
  state = await makePreparedState()
  galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...FOR_MANY_USERS])
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

const send = (path: string, init: RequestInit = {}) => documentedFetch(new URL(path, galaxy.url), init)

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

/** Creates a user. @returns The user's id, and the headers of the user's requests */
async function signUp(email: string): Promise<{ id: number; bearer: { Authorization: string } }> {
  const credentials = { email, password: 'i-love-planets' }
  const { id } = await bodyOf(await post('/user/signup', credentials))
  const { token } = await bodyOf(await post('/auth/token', credentials))
  return { id, bearer: { Authorization: `Bearer ${token}` } }
}

/** Runs a command on the database of the service. @returns What it prints, and how it ends */
async function run(name: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const command = ['run', '--silent', name, '--', ...args, '--local', '--persist-to', state.folder]
  return await promisify(execFile)('npm', command, { cwd: ROOT }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stderr }) => ({ code, output: stderr }),
  )
}

it('npm run account suspends an account, at once', async () => {
  const { id, bearer } = await signUp("o'Hara@galaxy.test")
  expect((await send('/me', { headers: bearer })).status).toBe(200)
  expect(await run('account', 'suspend', "O'HARA@galaxy.test")).toEqual({
    code: 0,
    output: `Account ${id} (o'Hara@galaxy.test) is suspended.\n`,
  })
  expect((await send('/me', { headers: bearer })).status).toBe(403)
})

it('npm run image removes an image by its URL', async () => {
  const { bearer } = await signUp('painter@galaxy.test')
  const { id } = await bodyOf(await post('/planets', { name: 'Painted' }, bearer))
  const form = new FormData()
  form.set('image', new File([makePicture()], 'picture.png'))
  const { imageUrl } = await bodyOf(await send(`/planets/${id}/image`, { method: 'POST', body: form, headers: bearer }))
  expect(await run('image', 'remove', imageUrl)).toEqual({
    code: 0,
    output: `Planet ${id} no longer shows image ${imageUrl.split('/').at(-1)}.\nThe service will remove the image within a minute.\n`,
  })
  expect((await bodyOf(await send(`/planets/${id}`))).image).toBeUndefined()
  // The scheduled job, which runs every minute.
  await sweep(galaxy)
  expect((await send(imageUrl)).status).toBe(404)
})

it('npm run universes lists universes', async () => {
  const { id } = await bodyOf(await post('/universes', {}))
  expect(await run('universes', 'list')).toEqual({
    code: 0,
    output: expect.stringMatching(RegExp(`^${id}  catalogue  created \\S+\n1 universe\\.\n$`)),
  })
})

it('a command says why it fails', async () => {
  const refusal = { code: 1, output: 'Account nobody@galaxy.test does not exist.\n' }
  expect(await run('account', 'suspend', 'nobody@galaxy.test')).toEqual(refusal)
})

it.each([
  ['account', 'suspend'],
  ['image', 'remove', 'sunset.png'],
  ['universes', 'end', 'Bob'],
])('npm run %s says how it is used if it cannot know what is meant', async (name, ...args) => {
  const usage = { code: 2, output: expect.stringContaining(`Usage: npm run ${name} `) }
  expect(await run(name, ...args)).toEqual(usage)
})
