import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { sectionOf, tableOf } from '../../service/documentation.ts'
import { bodyOf } from '../../service/galaxy.ts'
import { chromium } from '../../service/in-browser.ts'
import { ownAddress } from '../../service/own-address.ts'
import { closeAllTabs, shareBrowser } from '../../support/browser.ts'
import { serviceUrl } from '../journey.ts'
import { type Command, folderOf } from '../languages.ts'
import { versionOfPackage } from '../npm.ts'
import { versionOfRequirement } from '../pip.ts'

// What clients do under rules of faults, as their makers set them up. The table is in docs/lab.md.

const folder = folderOf('retries')
const section = sectionOf(readFileSync(join(ROOT, 'docs', 'lab.md'), 'utf8'), '### How clients retry')
const [first = '', second = ''] = section.split('\n\n| rule')
const versions = tableOf(first)
const table = tableOf(`\n| rule${second}`)

/** A request, and how often a client sends it by itself. */
interface Call {
  client: string
  method: 'GET' | 'POST'
  url: string
  times: number
  body: string | undefined
}

const NODE_CLIENTS = ['got', 'ky', 'axios-retry', 'RetryAgent', 'interceptors.retry']
const CLIENTS = [...NODE_CLIENTS, 'urllib3', 'curl', 'Chromium']

/** Longer than any client waits that does not read Retry-After. */
const SECONDS = 4

interface Row {
  method?: Call['method']
  /** The rule, without its name, match and key. */
  rule: Record<string, unknown>
  times?: number
  /** Whether answers ask the client to wait. */
  waits?: true
}

const busy = (step: object) => ({ steps: [{ status: 503, ...step }] })
const ROWS: Readonly<Record<string, Row>> = {
  '503, 503, each with Retry-After: 0': { rule: busy({ times: 2, retryAfter: { seconds: 0 } }) },
  '503 with Retry-After: 4': { rule: busy({ retryAfter: { seconds: SECONDS } }), waits: true },
  '503 with Retry-After as a date': { rule: busy({ retryAfter: { date: SECONDS } }), waits: true },
  'limit of one request, and two calls': { rule: { limit: { requests: 1, seconds: SECONDS } }, times: 2, waits: true },
  'drop: request': { rule: { steps: [{ drop: 'request' }] } },
  'drop: response': { rule: { steps: [{ drop: 'response' }] } },
  cut: { rule: { steps: [{ cut: 20 }] } },
  'POST: 503, 503, each with Retry-After: 0': {
    method: 'POST',
    rule: busy({ times: 2, retryAfter: { seconds: 0 } }),
  },
  'POST: drop: response': { method: 'POST', rule: { steps: [{ drop: 'response' }] } },
}

const JSON_TYPE = 'application/json'

/** Runs a program, whether it fails or not. */
function runProgram([program, ...args]: Command): Promise<{ stdout: string; stderr: string; exit: number }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, exit: typeof error?.code === 'number' ? error.code : 0 })
    })
  })
}

/** What the caller of a program sees of the last call. */
async function callWithProgram({ client, method, url, times, body }: Call): Promise<string> {
  const args = [method, url, String(times), ...(body === undefined ? [] : [body])]
  const python = join(folder, 'build', 'venv', 'bin', 'python')
  const command: Command =
    client === 'urllib3' ? [python, 'call.py', ...args] : [process.execPath, 'call.mjs', client, ...args]
  const { stdout, stderr } = await runProgram(command)
  if (stderr !== '') throw new Error(stderr)
  return stdout
}

async function callWithCurl({ client, method, url, times, body }: Call): Promise<string> {
  const { stderr, exit } = await runProgram([
    ...(['curl', '--silent', '--retry', '3', '--write-out', '%{stderr}%{http_code} ', '--request', method] as const),
    ...['--header', `X-Client: ${client}`, '--header', `Content-Type: ${JSON_TYPE}`],
    ...(body === undefined ? [] : ['--data', body]),
    ...Array.from({ length: times }, () => url),
  ])
  return exit === 0 ? String(stderr.trim().split(' ').at(-1)) : `exit ${exit}`
}

/** Without a header of its own, so that the browser does not ask for permission before. */
async function callWithBrowser(browser: Browser, { method, url, times, body }: Call): Promise<string> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const seen = await page.evaluate(
    async ({ method, url, times, body }) => {
      let last = ''
      for (let count = 0; count < times; count++) {
        try {
          const response = await fetch(url, { method, body: body ?? null })
          await response.text()
          last = String(response.status)
        } catch {
          last = 'error'
        }
      }
      return last
    },
    { method, url, times, body },
  )
  await context.close()
  return seen
}

/** Makes a universe with a rule, in which each client has a sequence of its own. */
async function makeUniverse({ method = 'GET', rule }: Row) {
  const universe = await bodyOf(await fetch(`${serviceUrl()}/universes`, { method: 'POST', headers: ownAddress() }))
  const headers = { Authorization: `Bearer ${universe.token}`, 'Content-Type': JSON_TYPE }
  const rules = [{ name: 'r', match: { method }, key: 'header:X-Client', ...rule }]
  const set = await fetch(`${universe.url}/universe/faults`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ rules }),
  })
  expect(set.status).toBe(200)
  return {
    url: universe.url as string,
    attemptsOf: async (client: string): Promise<{ early: boolean; attempt: number }[]> => {
      const key = client === 'Chromium' ? '' : client
      const query = new URLSearchParams({ key, limit: '100' })
      return (await bodyOf(await fetch(`${universe.url}/universe/faults/attempts?${query}`, { headers }))).data
    },
  }
}

let browser: Browser

beforeAll(async () => {
  if (chromium) browser = await shareBrowser()
})
afterAll(async () => {
  if (chromium) await closeAllTabs(browser)
})

describe('how clients retry', () => {
  const clients = CLIENTS.filter((client) => client !== 'Chromium' || chromium)

  it('is told of each rule and each client', () => {
    expect([...table.keys()]).toEqual(Object.keys(ROWS))
    expect(new Set([...table.values()].map((cells) => cells.length))).toEqual(new Set([CLIENTS.length]))
    expect([...versions.keys()]).toEqual(CLIENTS)
  })

  it('is told of the versions that are installed', async () => {
    const packageOf = (client: string) => (client.startsWith('R') || client.startsWith('i') ? 'undici' : client)
    const installed = await Promise.all([
      ...NODE_CLIENTS.map((client) => versionOfPackage('retries', packageOf(client))),
      versionOfRequirement('retries', 'urllib3'),
    ])
    expect([...NODE_CLIENTS, 'urllib3'].map((client) => versions.get(client)?.[0])).toEqual(installed)
  })

  it.each(Object.entries(ROWS))('under the rule %s, as docs/lab.md says', async (name, row) => {
    const { method = 'GET', times = 1, waits } = row
    const { url, attemptsOf } = await makeUniverse(row)
    const cells = clients.map(async (client) => {
      const account = { email: `${client}@example.com`, password: 'a password for it' }
      const isPost = method === 'POST'
      const target = url + (isPost ? '/user/signup' : '/planets?limit=1')
      const call: Call = { client, method, url: target, times, body: isPost ? JSON.stringify(account) : undefined }
      const seen =
        client === 'Chromium'
          ? await callWithBrowser(browser, call)
          : await (client === 'curl' ? callWithCurl : callWithProgram)(call)
      const attempts = await attemptsOf(client)
      const pace = attempts.some(({ early }) => early) ? 'early, ' : 'in time, '
      return `${attempts.length}, ${waits && attempts.length > times ? pace : ''}${seen}`
    })
    expect(await Promise.all(cells)).toEqual(table.get(name)?.slice(0, clients.length))
  })
})
