import { describe, expect, it } from 'vitest'
import type { Config } from '../../../src/env.ts'
import { bodyOf, createClient } from '../../support/app.ts'

const PATH = '/.well-known/security.txt'
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** The fields of the file (RFC 9116, section 2). */
async function readFields(config: Partial<Config>, now = Date.now()): Promise<string[][]> {
  const response = await createClient({ config, now: () => new Date(now) }).get(PATH)
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
  const text = await response.text()
  expect(text).toMatch(/^(?:[A-Z][a-z]+: [\x21-\x7e]+\n)+$/)
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(/: (.*)/s).slice(0, 2))
}

describe('security.txt', () => {
  it.each(['mailto:abuse@galaxy.example', 'https://galaxy.example/report?to=us'])(
    'names the contact %s',
    async (contact) => {
      const fields = await readFields({ reportContact: contact })
      expect(fields.map(([name]) => name)).toEqual(['Contact', 'Expires'])
      expect(fields[0]?.[1]).toBe(contact)
    },
  )

  it('expires later than now, and within a year, whenever it is read', async () => {
    for (const now of [0, Date.now(), Date.now() + 10 * YEAR_MS]) {
      const [, [, expires = ''] = []] = await readFields({}, now)
      expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)
      expect(Date.parse(expires)).toBeGreaterThan(now)
      expect(Date.parse(expires)).toBeLessThan(now + YEAR_MS)
    }
  })

  it('is the same all day, so that a cache can revalidate it', async () => {
    const readAt = (time: string) => readFields({}, Date.parse(time))
    const first = await readAt('2026-11-22T00:00:00.000Z')
    expect(await readAt('2026-11-22T23:59:59.999Z')).toEqual(first)
    expect(await readAt('2026-11-23T00:00:00.000Z')).not.toEqual(first)
  })

  it('says where it belongs, if the address of the service is configured', async () => {
    const fields = await readFields({ publicUrl: 'https://galaxy.example' })
    expect(fields.at(-1)).toEqual(['Canonical', `https://galaxy.example${PATH}`])
  })

  it('does not exist without a contact', async () => {
    const response = await createClient({ config: { reportContact: undefined } }).get(PATH)
    expect(response.status).toBe(404)
    expect((await bodyOf(response)).type).toMatch(/not-found$/)
  })
})

it.each(['/', '/docs', '/account', '/problems'])(
  'the page %s leads to it, if the operator takes reports',
  async (path) => {
    const open = async (config: Partial<Config>) =>
      await (await createClient({ config }).get(path, { Accept: 'text/html' })).text()
    const link = `<a href="${PATH}">Report abuse</a>`
    expect(await open({ reportContact: 'mailto:abuse@galaxy.example' })).toContain(link)
    const page = await open({ reportContact: undefined })
    expect(page).not.toContain('Report abuse')
    expect(page).not.toContain('<!--')
  },
)
