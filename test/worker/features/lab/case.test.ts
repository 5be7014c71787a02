import { describe, expect, it } from 'vitest'
import { IDS, versionsOf } from '../../../../laboratory/test/table.ts'
import { bodyOf, createClient } from '../../../support/app.ts'
import { ADDRESSES } from '../../../support/world.ts'

// A case as data, and as a page.

const client = createClient()
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('a case', () => {
  it('is its row of the catalogue', async () => {
    const { cases } = await bodyOf(await client.get('/lab/cases'))
    const rows = []
    for (const id of IDS) rows.push(await bodyOf(await client.get(`/lab/cases/${id}`)))
    expect(rows).toEqual(cases)
  })

  it.each(ADDRESSES)('is a page for a browser at %s, with the addresses of its world', async (base) => {
    const response = await client.get(`${base}/lab/cases/query/form-array`, BROWSER)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(response.headers.get('Vary')).toMatch(/\bAccept\b(?!-)/)
    const page = await response.text()
    expect(page).toContain(`${base}/lab/try/query/form-array?color=blue,black,brown`)
    const { pathname } = new URL('lab/cases/query/form-object-explode', `${base}/`)
    expect(page).toContain(`href="${pathname}"`)
  })

  it('varies with Accept as data too', async () => {
    const response = await client.get('/lab/cases/query/form-array')
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Vary')).toMatch(/\bAccept\b(?!-)/)
  })

  it.each(['query/nothing', 'nothing/form-array', 'query/Form-Array', 'query/form-array/x'])(
    'is not %s, as data and as a page',
    async (id) => {
      const problem = await client.get(`/lab/cases/${id}`)
      expect([problem.status, problem.headers.get('Content-Type')]).toEqual([404, 'application/problem+json'])
      for (const base of ADDRESSES) {
        // The document has the problem alone, as that of any address at which there is nothing.
        const response = await client.sendRaw(`${base}/lab/cases/${id}`, { headers: BROWSER })
        expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
        expect(response.headers.get('Vary')).toMatch(/\bAccept\b(?!-)/)
        expect(await response.text()).toContain(`href="${new URL('lab', `${base}/`).pathname}"`)
      }
    },
  )

  it('has a page with the words that decide it, whose section may be another one than the case names', async () => {
    const page = await (await client.get('/lab/cases/query/reserved', BROWSER)).text()
    const [, decision = ''] = /<dt>What decides it<\/dt><dd>(.*?)<\/dd>/s.exec(page) ?? []
    expect(decision.match(/#[\w-]+(?=")/g)).toEqual(['#url-percent-encoding', '#percent-encoding-and-form-urlencoded'])
    expect(decision).toContain('<q>… <code>=</code> and <code>&amp;</code> as delimiters')
  })

  it('has a page that says what decides it, what clients send, and which cases are beside it', async () => {
    for (const [index, id] of IDS.entries()) {
      const page = await (await client.get(`/lab/cases/${id}`, BROWSER)).text()
      expect(page).toContain(`<h1><code>${id}</code></h1>`)
      for (const text of [
        'What decides it',
        'What real clients send',
        `The operation in OpenAPI ${versionsOf(id).includes('3.1') ? '3.1' : '3.2'}`,
      ])
        expect(page).toContain(text)
      const beside = [IDS[index - 1], IDS[index + 1]].filter((one) => one !== undefined)
      expect(page.match(/ rel="(?:prev|next)" href="[^"]*"/g)?.length).toBe(beside.length)
      for (const other of beside) expect(page).toContain(` href="/lab/cases/${other}"`)
      // What a retry shows takes several requests.
      expect(page.includes('id="bench"')).toBe(!id.startsWith('retry/'))
    }
  })
})
