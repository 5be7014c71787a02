import { describe, expect, it } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../../src/domain/problems.ts'
import { createClient, ORIGIN } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { codeBlocksOf, contentOf, linksOf, policyOf, requestOf } from '../../support/pages.ts'

const CODES = Object.keys(PROBLEMS) as ProblemCode[]
/** The problems that no operation documents: one comes before the operations, the other is that of sockets. */
const UNDOCUMENTED: readonly string[] = ['method-not-allowed', 'upgrade-required']

/** One comes in place of a world, and the other only by a rule of a universe. */
const WITHOUT_COMMAND: readonly string[] = ['universe-ended', 'injected']
const COMMANDED = CODES.filter((code) => !WITHOUT_COMMAND.includes(code))

const client = createClient()

async function open(code: string, by = client): Promise<string> {
  return await (await by.get(`/problems/${code}`)).text()
}

describe('the page of a problem', () => {
  it('explains it, without a script', () =>
    eachRow(CODES, async (code) => {
      const response = await client.get(`/problems/${code}`, { Accept: 'application/json' })
      const page = await response.text()
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(page).toContain(`<title>${PROBLEMS[code].title} (${PROBLEMS[code].status})</title>`)
      expect(page).toContain(`<h1>${PROBLEMS[code].title}</h1>`)
      expect(page).not.toMatch(/<script|javascript:|\son\w+=|undefined|\[object/i)
      expect(policyOf(response)).toMatchObject({
        'default-src': "'none'",
        'base-uri': "'none'",
        'form-action': "'none'",
      })
      expect(policyOf(response)['script-src']).toBeUndefined()
    }))

  it('shows names as code', () =>
    eachRow(CODES, async (code) => {
      expect(await open(code)).not.toContain('`')
    }))

  it('shows the names of members and headers as code', async () => {
    expect(await open('invalid-body')).toContain('<li>Read <code>errors</code>: each entry')
    expect(await open('method-not-allowed')).toContain('<li>Read <code>Allow</code>: it lists')
  })

  it('links to this service and to the RFC Editor only', () =>
    eachRow(CODES, async (code) => {
      for (const link of linksOf(contentOf(await open(code)))) {
        if (link.startsWith('https://www.rfc-editor.org/rfc/rfc')) continue
        expect([link, (await client.get(link)).status]).toEqual([link, 200])
      }
    }))

  it('has a command that gets exactly this problem, as the page shows it', () =>
    eachRow(COMMANDED, async (code) => {
      const [shown = '', command = ''] = codeBlocksOf(await open(code))
      const { url, init } = requestOf(command)
      const response = await client.send(url, init)
      const document = JSON.parse(await response.text())
      expect(document).toMatchObject({ type: `${ORIGIN}/problems/${code}`, status: PROBLEMS[code].status })
      const [head = '', body = ''] = shown.split('\n\n')
      const [start, ...lines] = head.split('\n')
      expect(start).toMatch(new RegExp(`^HTTP/1.1 ${response.status} [A-Z]`))
      if (UNDOCUMENTED.includes(code)) return
      expect(JSON.parse(body)).toEqual(document)
      for (const line of lines) {
        const [, name = '', value] = /^([\w-]+): (.*)$/.exec(line) ?? []
        expect([name, value]).toEqual([name, response.headers.get(name)])
      }
      expect(response.headers.get('Preference-Applied')).toBe(`code=${response.status}, example=${code}`)
    }))

  it('has no command if no request to this world gets it', () =>
    eachRow(WITHOUT_COMMAND, async (code) => {
      expect(await open(code)).not.toContain('curl')
    }))

  it('shows no command with Prefer if the operator has switched Prefer off', async () => {
    const plain = createClient({ config: { demoControls: false } })
    for (const code of CODES) expect((await open(code, plain)).includes('curl -i')).toBe(UNDOCUMENTED.includes(code))
  })

  it('shows URLs of the public address, if there is one', async () => {
    const published = createClient({ config: { publicUrl: 'https://api.example.org' } })
    const [shown, command] = codeBlocksOf(await open('not-found', published))
    expect(shown).toContain('"type": "https://api.example.org/problems/not-found"')
    expect(command).toMatch(/ https:\/\/api\.example\.org\/planets\/4$/)
  })

  it('is 404 for any other name', () =>
    eachRow(['nothing', 'Not-Found', 'not-found.html', '404', '__proto__', 'constructor'], async (code) => {
      expect((await client.get(`/problems/${code}`)).status).toBe(404)
    }))
})

describe('the list of problems', () => {
  it('has a link to the page of each, in the order of their statuses', async () => {
    const response = await client.get('/problems')
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const page = contentOf(await response.text())
    expect(linksOf(page)).toEqual(CODES.map((code) => `/problems/${code}`))
    const statuses = [...page.matchAll(/<h2>(\d+) /g)].map(([, status]) => Number(status))
    expect(statuses).toEqual([...new Set(CODES.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b))
  })
})
