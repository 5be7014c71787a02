import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLocalDatabase } from '../../scripts/lib/local-database.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { makePicture } from '../support/pictures.ts'
import { DiskWorld } from './disk-world.ts'
import { makePreparedState } from './prepared-state.ts'

// The real wrangler: a world of a deployment is exported, and imported to this machine. A server of this test is in the
// place of Cloudflare's API. Nothing can reach an account: the server is the only one that wrangler knows.

const run = promisify(execFile)
const IMAGE = 'image-of-arrakis'
const PICTURE = makePicture()
const DATABASE = '/accounts/a1/d1/database'

let deployed: DiskWorld
let state: Awaited<ReturnType<typeof makePreparedState>>
let base: string
const requests: string[] = []

const api = createServer(async (request, response) => {
  requests.push(`${request.method} ${request.url}`)
  await answer(request, response)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '', 'http://api').pathname
  const send = (result: unknown) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ success: true, errors: [], result }))
  if (path === `${DATABASE}/galaxy`) send({ uuid: 'u1', name: 'galaxy' })
  else if (path === `${DATABASE}/u1/query`) send(query(((await json(request)) as { sql: string }).sql))
  else if (path === `/accounts/a1/r2/buckets/galaxy-images/objects/${IMAGE}`) response.end(PICTURE)
  else response.writeHead(404).end()
}

/** All statements of a request are one transaction. */
function query(sql: string): object[] {
  const statements = sql.split(';\n')
  return statements.map((statement) => ({ results: deployed.query(statement), success: true, meta: {} }))
}

beforeAll(async () => {
  deployed = await DiskWorld.create({ hasRows: true })
  state = await makePreparedState()
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const address = api.address()
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})

afterAll(async () => {
  api.close()
  await deployed.remove()
  await state.remove()
})

it('exports a world from a deployment, and replaces the world of this machine with it', async () => {
  const env = {
    ...process.env,
    CLOUDFLARE_API_BASE_URL: base,
    CLOUDFLARE_API_TOKEN: 'none',
    CLOUDFLARE_ACCOUNT_ID: 'a1',
  }
  const file = join(state.folder, 'world.ndjson')
  const npm = (...args: string[]) => run('npm', ['run', '--silent', ...args], { cwd: ROOT, env })
  const exporting = await npm('export', '--', file, '--yes', '--remote', '--env', 'production')
  expect(exporting.stdout).toContain('production has 4 users, 2 planets')
  expect(requests.filter((line) => line.endsWith('/query'))).toHaveLength(3)

  const local = ['--persist-to', state.folder]
  // It has the shipped planets, and nobody has used it.
  const importing = await npm('import', '--', file, '--yes', ...local)
  expect(importing.stdout).toContain(`${state.folder} has 4 users, 2 planets`)
  const database = openLocalDatabase(state.folder)
  const rows = DiskWorld.readRows(database)
  database.close()
  expect(rows).toMatchObject(deployed.read().rows)

  const wrangler = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const get = ['r2', 'object', 'get', `galaxy-images/${IMAGE}`, '--pipe', '--local', ...local]
  const { stdout } = await run(process.execPath, [wrangler, ...get], { cwd: ROOT, env, encoding: 'buffer' })
  expect(Uint8Array.from(stdout)).toEqual(Uint8Array.from(PICTURE))
})
