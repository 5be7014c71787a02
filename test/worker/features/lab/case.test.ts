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
    'is not %s, in both forms',
    async (id) => {
      for (const headers of [{}, BROWSER]) expect((await client.get(`/lab/cases/${id}`, headers)).status).toBe(404)
    },
  )

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
