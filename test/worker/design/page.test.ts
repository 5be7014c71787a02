import { describe, expect, it } from 'vitest'
import { createClient } from '../../support/app.ts'
import { contentOf, linksOf, unescapeHtml } from '../../support/pages.ts'

const client = createClient()

async function open(path: string): Promise<string> {
  return await (await client.get(path, { Accept: 'text/html' })).text()
}

describe('the header and the footer of every page', () => {
  it('have no dead links', async () => {
    const page = await open('/problems')
    const links = linksOf(page.replace(contentOf(page), '')).filter((link) => !link.startsWith('#'))
    expect(links.length).toBeGreaterThanOrEqual(8)
    for (const link of links) {
      const { status } = await client.get(link, { Accept: 'text/html' })
      expect([link, status]).toEqual([link, 200])
    }
  })

  it('let a reader skip the header', async () => {
    const page = await open('/problems')
    expect(linksOf(page)[0]).toBe('#main')
    expect(page).toContain('<main id="main"')
  })
})

describe('the icon of a page', () => {
  it('is a data URL with only characters that a URL may contain', async () => {
    const [, icon = ''] = /<link rel="icon" href="([^"]+)"/.exec(await open('/problems/not-found')) ?? []
    const url = unescapeHtml(icon)
    expect(url).toMatch(/^data:image\/svg\+xml,(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-F]{2})+$/)
    expect(decodeURIComponent(url)).toMatch(/<svg xmlns='http:\/\/www\.w3\.org\/2000\/svg'.*<\/svg>$/)
  })
})
