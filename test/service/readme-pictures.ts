import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { ROOT } from '../../scripts/lib/root.ts'
import { findChromium } from '../support/browser.ts'

// `npm run pictures -- URL` makes the pictures of README.md anew, from the service at this URL with its shipped planets.

/** By the name of the file in docs/images. */
const PAGES = { explorer: '/', planet: '/explore/planets/5', tour: '/walk', scoreboard: '/lab/scoreboard' }

const [url] = process.argv.slice(2)
const executablePath = findChromium()
if (url === undefined || executablePath === undefined) {
  console.error('Usage: npm run pictures -- URL, such as http://localhost:8787. It needs Chromium, see test/README.md.')
  process.exit(1)
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, deviceScaleFactor: 0.5 })
for (const [name, path] of Object.entries(PAGES)) {
  await page.goto(url + path)
  if (name === 'explorer') {
    const picture = page.getByRole('combobox', { name: 'Vertical axis' })
    await page.locator('canvas').first().waitFor()
    await picture.evaluate((axis) => scrollTo(0, axis.getBoundingClientRect().top - 60))
  }
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: join(ROOT, 'docs', 'images', `${name}.png`), animations: 'disabled' })
}
await browser.close()
