import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { benchFormsOf } from '../../../laboratory/suite/forms/index.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { bodyOf } from '../galaxy.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findPageFaults, findTabFaults, takeScreenshot } from './pages.ts'

// The bench of the laboratory, its page, and the pages of cases, at both widths of their contract.

const run = promisify(execFile)

const WIDTHS = {
  wide: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
} as const
const NAMES = ['wide', 'narrow'] as const
const HEIGHTS = { wide: 4500, narrow: 8000 }

describe.skipIf(!chromium)('the bench', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  async function openAt(path: string, width: keyof typeof WIDTHS = 'wide', base = here.galaxy.url) {
    const tab = await here.open({ ...WIDTHS[width] })
    await tab.page.goto(`${base}${path}`)
    return tab
  }

  const verdictOf = (page: Page) => page.getByRole('region', { name: 'Verdict' })

  /** What the verdict begins with, as soon as it is one. */
  const wordOf = async (page: Page) => await verdictOf(page).locator('.bench-word').textContent()

  it.each(NAMES)('is on the first screen of the laboratory, already judged: %s', async (width) => {
    const tab = await openAt('/lab', width)
    await takeScreenshot(tab.page, width === 'wide' ? 'desktop-light' : 'phone-dark', 'lab-bench')
    await expect.poll(() => wordOf(tab.page)).toBe('fail')
    const { height } = WIDTHS[width].viewport
    for (const part of [
      tab.page.getByRole('heading', { level: 1 }),
      tab.page.getByRole('button', { name: 'Send' }),
      verdictOf(tab.page).getByRole('table'),
      // The words of the section may be below it.
      verdictOf(tab.page).getByRole('link'),
    ]) {
      const box = await part.boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThan(height)
    }
    await expect
      .poll(() => tab.page.evaluate<number>('document.documentElement.scrollHeight'))
      .toBeLessThan(HEIGHTS[width])
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('can be read without JavaScript, which it asks for to send', async () => {
    const tab = await here.open({ ...WIDTHS.narrow, javaScriptEnabled: false })
    await tab.page.goto(`${here.galaxy.url}/lab`)
    await expect.poll(() => wordOf(tab.page)).toBe('fail')
    await expect.poll(() => tab.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await expect
      .poll(() => tab.page.locator('noscript').allTextContents())
      .toEqual([
        expect.stringContaining('To send from this page needs JavaScript.'),
        expect.stringContaining('The filter needs JavaScript.'),
      ])
  })

  it.each(NAMES)('sends what was edited, with the keyboard, and shows the verdict: %s', async (width) => {
    const tab = await openAt('/lab', width)
    const { page } = tab
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await expect.poll(() => verdictOf(page).textContent()).toContain('Not sent yet')
    await page.getByLabel('Method and path').press('Enter')
    await expect.poll(() => wordOf(page)).toBe('pass')
    await page.getByLabel('Method and path').fill('GET /query/form-array?color=blue,red')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('fail')
    const marks = await verdictOf(page)
      .locator('mark')
      .evaluateAll((all) => all.map((one) => [one.textContent, one.getBoundingClientRect().x]))
    // The same byte, in one column.
    expect(marks).toEqual([
      ['r', expect.any(Number)],
      ['b', marks[0]?.[1]],
    ])
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('shows what a person sent as text', async () => {
    const { page } = await openAt('/lab/cases/body/text')
    await page.getByLabel('Body').fill('<script>document.title = "run"</script>')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('fail')
    await expect.poll(() => verdictOf(page).textContent()).toContain('<script>document.title = "run"</script>')
    await expect.poll(() => page.title()).not.toBe('run')
  })

  it('names the header, if one was judged', async () => {
    const { page } = await openAt('/lab/cases/body/object')
    await page.getByLabel('Form').selectOption('labelled as text (fail)')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('Content-Type: text/plain;charset=UTF-8')
    await expect.poll(() => verdictOf(page).textContent()).toContain('Content-Type: application/json')
    await expect
      .poll(() => verdictOf(page).getByRole('link').getAttribute('href'))
      .toBe('https://www.rfc-editor.org/rfc/rfc9110.html#section-8.3')
  })

  it.each([
    ['cookie/two', 'GET /cookie/two', 'Cookie: color=blue', 'cannot choose its cookies'],
    ['query/form-array', 'TRACE /query/form-array', '', 'cannot use the method "TRACE"'],
    ['header/array', 'GET /header/array', 'X-Color: a\nX-Color: b', 'would make one header of those named X-Color'],
    ['query/form-array', 'GET /query/form-array', 'Host: a', 'cannot set the header Host'],
    ['body/object', 'GET /body/object', 'Content-Type: application/json', 'cannot send a body with GET'],
  ])('says before that a browser cannot send it to %s: %s %s', async (id, target, headers, words) => {
    const { page } = await openAt(`/lab/cases/${id}`)
    await page.getByLabel('Method and path').fill(target)
    await page.getByLabel('Headers').fill(headers)
    const form = page.locator('#bench-fields')
    await expect.poll(() => form.textContent()).toContain(words)
    await expect.poll(() => form.locator('pre code').textContent()).toMatch(/^curl .*\/lab\/try\//)
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  })

  it('has a command with curl that sends what it cannot, as it stands', async () => {
    const { page } = await openAt('/lab/cases/cookie/two')
    await page.getByLabel('Headers').fill("Cookie: color=b'l; size=3")
    const command = await page.locator('#bench-obstacle pre code').textContent()
    const { stdout } = await run('sh', ['-c', command ?? ''])
    expect(stdout).toContain('"received":"color=b\'l; size=3"')
  })

  it.each([
    ['größe', 'encode it again', 'gr%C3%B6%C3%9Fe'],
    ['a#b', 'What follows # is never sent', 'a%23b'],
    ['a b', 'A space ends the path', 'a%20b'],
  ])(
    'has no command for %s in an address, which no server receives so, but what would arrive',
    async (value, words, encoded) => {
      const { page } = await openAt('/lab', 'narrow')
      await page.getByLabel('Method and path').fill(`GET /query/form-array?color=${value}`)
      await expect.poll(() => page.locator('#bench-obstacle').textContent()).toContain(words)
      await expect.poll(() => page.locator('#bench-obstacle code').count()).toBe(0)
      await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: `Use /query/form-array?color=${encoded}` }).click()
      await page.getByRole('button', { name: 'Send' }).click()
      await expect.poll(() => verdictOf(page).textContent()).toContain(`color=${encoded}`)
    },
  )

  it('has a button that copies the command', async () => {
    const tab = await openAt('/lab/cases/cookie/two', 'narrow')
    await tab.page.getByRole('button', { name: 'Copy the command' }).click()
    await expect.poll(() => tab.page.locator('#bench-obstacle .copy').textContent()).toMatch(/Copied|selected/)
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('has no command for what nothing can send', async () => {
    const { page } = await openAt('/lab')
    for (const [line, headers, words] of [
      ['GET /query/form-array?color=a b', '', 'A space ends the path in HTTP'],
      ['GET /query/form-array', 'no header', 'The line "no header" is no header'],
      ['GET /query/form-array', 'Content-Length: 3', 'Leave the line out.'],
      ['', '', 'There is no path.'],
      ['GET /', '', 'The path names no case.'],
      ['GET /retry/same-key', '', 'Retries are judged in a run only.'],
    ] as const) {
      await page.getByLabel('Method and path').fill(line)
      await page.getByLabel('Headers').fill(headers)
      await expect.poll(() => page.locator('#bench-obstacle').textContent()).toContain(words)
      await expect.poll(() => page.locator('#bench-obstacle code').count()).toBe(0)
      await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    }
  })

  it('sends bytes that are no text, as `\\xNN`', async () => {
    const { page } = await openAt('/lab/cases/multipart/file')
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await expect.poll(() => page.getByLabel('Body').inputValue()).toContain('\\xfe\\xff')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('follows redirects, and has curl for what it cannot do', async () => {
    const { page } = await openAt('/lab/cases/redirect/307-post')
    await expect
      .poll(() => page.getByLabel('Form').locator('option').allTextContents())
      .toEqual(['as it should be (pass)'])
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
    await expect
      .poll(() => page.getByRole('region', { name: 'Bench' }).textContent())
      .toContain('GET for POST (fail): curl ')
  })

  it('shows what GET of a response answers, and sends PUT', async () => {
    const { page } = await openAt('/lab/cases/response/int64')
    await expect
      .poll(() => page.getByRole('region', { name: 'The answer to GET' }).textContent())
      .toContain('9223372036854775807')
    await expect.poll(() => page.getByLabel('Method and path').inputValue()).toBe('PUT /response/int64')
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('is not on the page of a retry, which says why', async () => {
    const { page } = await openAt('/lab/cases/retry/same-key')
    await expect.poll(() => page.getByRole('region', { name: 'Bench' }).count()).toBe(0)
    await expect.poll(() => page.locator('main').textContent()).toContain('Retries are judged in a run only')
  })

  it('changes to another case on the same page', async () => {
    const { page } = await openAt('/lab')
    await page.getByLabel('Case', { exact: true }).selectOption('body/null')
    await expect.poll(() => page.getByLabel('Method and path').inputValue()).toBe('POST /body/null')
    expect(new URL(page.url()).pathname).toBe('/lab')
    await page.getByRole('link', { name: 'About body/null' }).waitFor()
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('says in the place of the verdict that the server does not answer, or waits', async () => {
    const { page } = await openAt('/lab')
    await page.route('**/lab/try/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('The server cannot be reached.')
    await page.unroute('**/lab/try/**')
    let answer = () => {}
    await page.route('**/lab/try/**', async (route) => {
      await new Promise<void>((resolve) => (answer = resolve))
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('Waiting for the verdict')
    await expect.poll(() => verdictOf(page).textContent()).toContain('after 5 seconds')
    answer()
    await expect.poll(() => wordOf(page)).toBe('fail')
  })

  it('shows a refusal of the service', async () => {
    const { page } = await openAt('/lab')
    await page.getByLabel('Method and path').fill('DELETE /query/form-array')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('Allowed methods: GET')
  })

  it('says before that there is no such case, and names the nearest one', async () => {
    const tab = await openAt('/lab', 'narrow')
    const { page } = tab
    const [line, send] = [page.getByLabel('Method and path'), page.getByRole('button', { name: 'Send' })]
    await line.fill('GET /query/form-arry?color=blue,black,brown')
    await expect
      .poll(() => page.locator('#bench-obstacle').textContent())
      .toContain('There is no case query/form-arry. Did you mean query/form-array?')
    await expect.poll(() => send.isDisabled()).toBe(true)
    expect(await findPageFaults(tab)).toEqual([])
    await page.getByRole('button', { name: 'Use query/form-array' }).click()
    await expect.poll(() => line.inputValue()).toBe('GET /query/form-array?color=blue,black,brown')
    await expect.poll(() => page.getByLabel('Form').inputValue()).toBe('as it should be (pass)')
    await line.press('Enter')
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('takes what people paste, and keeps it in sight', async () => {
    const { page } = await openAt('/lab')
    const line = page.getByLabel('Method and path')
    for (const pasted of [
      'GET http://localhost:8787/lab/try/query/form-array?color=red HTTP/1.1',
      'GET /lab/try/query/form-array?color=red',
      '/lab/runs/3ms0hNNvqZ8lN1cQ/query/form-array?color=red',
      'query/form-array?color=red',
    ]) {
      await line.fill(pasted)
      await expect
        .poll(() => page.locator('#bench-obstacle').textContent())
        .toBe('Sends GET /query/form-array?color=red')
      await expect.poll(() => verdictOf(page).textContent()).toContain('Not sent yet')
      await line.press('Enter')
      await expect.poll(() => verdictOf(page).textContent()).toContain('color=red')
      await expect.poll(() => line.inputValue()).toBe(pasted)
    }
  })

  it('spreads a pasted request over its fields, also a command with curl', async () => {
    const { page } = await openAt('/lab/cases/body/object')
    const line = page.getByLabel('Method and path')
    const readFields = () =>
      Promise.all([line, page.getByLabel('Headers'), page.getByLabel('Body')].map((field) => field.inputValue()))
    await line.fill('POST /lab/try/body/object HTTP/1.1\nHost: a\nContent-Type: text/plain\n\n<b>1</b>\n2')
    await expect
      .poll(readFields)
      .toEqual(['POST /lab/try/body/object HTTP/1.1', 'Content-Type: text/plain', '<b>1</b>\n2'])
    await line.evaluate((field: HTMLTextAreaElement) => {
      field.value = "curl http://a/lab/try/body/object -H 'Content-Type: application/json' -d '{}'"
      field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
    })
    await expect.poll(readFields).toEqual(['POST http://a/lab/try/body/object', 'Content-Type: application/json', '{}'])
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('fail')
  })

  it('changes to the case that the path names, when it is sent', async () => {
    const { page } = await openAt('/lab')
    await page.getByLabel('Method and path').fill('/header/array')
    await page.getByLabel('Headers').fill('X-Color: blue')
    await expect
      .poll(() => page.locator('#bench-obstacle').textContent())
      .toContain('The path is that of header/array. Send chooses this case above.')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('fail')
    await expect.poll(() => page.getByLabel('Case', { exact: true }).inputValue()).toBe('header/array')
    // What is expected is that of this case.
    await expect.poll(() => verdictOf(page).locator('tr').last().textContent()).toContain('blue,black,brown')
    await expect
      .poll(() => page.getByRole('button', { name: 'Send' }).evaluate((one) => one.matches(':focus')))
      .toBe(true)
  })

  it('calls a request edited while it is no form', async () => {
    const { page } = await openAt('/lab')
    const [form, line] = [page.getByLabel('Form'), page.getByLabel('Method and path')]
    const names = await form.locator('option').allTextContents()
    const before = await line.inputValue()
    await line.fill('GET /query/form-array?color=blue')
    await expect.poll(() => form.inputValue()).toBe('edited')
    await expect.poll(() => form.locator('option').allTextContents()).toEqual([...names, 'edited'])
    await expect.poll(() => verdictOf(page).textContent()).toContain('Not sent yet')
    await line.fill(before)
    await expect.poll(() => form.inputValue()).toBe('commas encoded (fail)')
    await expect.poll(() => form.locator('option').allTextContents()).toEqual(names)
  })

  it.each(['/lab?group=query&level=core', '/lab/cases/body/null'])(
    'is the same one at a copy of the address of %s',
    async (path) => {
      const { page } = await openAt(path)
      const copy = async () => {
        const { page: other } = await openAt(page.url().slice(here.galaxy.url.length))
        return other
      }
      await page.getByLabel('Case', { exact: true }).selectOption('body/text')
      await page.getByRole('link', { name: 'About body/text' }).waitFor()
      await page.getByLabel('Form').selectOption('as it should be (pass)')
      await expect.poll(() => new URL(page.url()).search).toContain('case=body%2Ftext&form=as+it+should+be')
      const second = await copy()
      await expect.poll(() => second.getByLabel('Case', { exact: true }).inputValue()).toBe('body/text')
      await expect.poll(() => second.getByLabel('Form').inputValue()).toBe('as it should be (pass)')
      await page.getByLabel('Headers').fill('Content-Type: text/html\nno header')
      await page.getByLabel('Body').fill('<script>document.title = "run"</script>\n\n')
      await expect.poll(() => new URL(page.url()).search).toContain('title')
      const third = await copy()
      await expect.poll(() => third.getByLabel('Form').inputValue()).toBe('edited')
      await expect.poll(() => third.getByLabel('Headers').inputValue()).toBe('Content-Type: text/html\nno header')
      await expect.poll(() => third.getByLabel('Body').inputValue()).toBe('<script>document.title = "run"</script>\n\n')
      await expect.poll(() => third.title()).not.toBe('run')
      if (path.startsWith('/lab?')) await expect.poll(() => third.getByLabel('Group').inputValue()).toBe('query')
    },
  )

  it('says what does not exist of the address, and shows it as text', async () => {
    const script = '<script>document.title = "run"</script>'
    const tab = await openAt(`/lab?case=${encodeURIComponent(script)}&form=x`)
    await expect
      .poll(() => tab.page.locator('#bench-obstacle').textContent())
      .toBe(`There is no case ${JSON.stringify(script)} on the bench, so it is ignored.`)
    await expect.poll(() => wordOf(tab.page)).toBe('fail')
    await tab.page.goto(`${here.galaxy.url}/lab?form=${encodeURIComponent(script)}`)
    await expect
      .poll(() => tab.page.locator('#bench-obstacle').textContent())
      .toBe(`There is no form ${JSON.stringify(script)} on the bench, so it is ignored.`)
    await expect.poll(() => tab.page.title()).not.toBe('run')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it.each([
    ['a credential', 'Authorization: Bearer abc', '', 'it may have a credential'],
    ['a long body', '', 'a'.repeat(3000), 'it is too long'],
  ])('says that the address does not keep a request with %s', async (_, headers, body, words) => {
    const { page } = await openAt('/lab/cases/body/text')
    await page.getByLabel('Headers').fill(headers)
    await page.getByLabel('Body').fill(body)
    await expect.poll(() => page.locator('#bench-obstacle').textContent()).toContain(words)
    await expect.poll(() => new URL(page.url()).search).toBe('?case=body%2Ftext')
  })

  it('shows the value to send, and how we would send it, of each case that is chosen', async () => {
    const { page } = await openAt('/lab', 'narrow')
    const task = page.locator('.bench-task')
    await expect.poll(() => task.textContent()).toContain('Value: color = ["blue","black","brown"]')
    await expect.poll(() => task.textContent()).toContain('We would send: color=blue,black,brown')
    await page.getByLabel('Case', { exact: true }).selectOption('path/simple-string')
    await expect.poll(() => task.textContent()).toContain('Value: color = "blue"')
  })

  it.each(NAMES)('shows code in a reason as code: %s', async (width) => {
    const { page } = await openAt('/lab/cases/xml/attribute', width)
    await page.getByLabel('Body').fill('{"a":"`b`"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).locator('p code').allTextContents()).toEqual(['{'])
    await expect.poll(() => verdictOf(page).textContent()).toContain('it begins with {.')
  })

  it.each(['/lab', '/lab/cases/body/object', '/lab/cases/form/object'])(
    'has fields on a phone that are whole, and large enough for a thumb: %s',
    async (path) => {
      const tab = await openAt(path, 'narrow')
      const { page } = tab
      const findSmall = () =>
        page.locator('#bench').evaluate((bench) => {
          const edge = bench.getBoundingClientRect().right
          const isWhole = (one: Element) =>
            one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1
          return [...bench.querySelectorAll('select, textarea, button')].flatMap((one) => {
            const { height, right } = one.getBoundingClientRect()
            return height >= 44 && right < edge && isWhole(one) ? [] : [one.id]
          })
        })
      await expect.poll(findSmall).toEqual([])
      await page.getByLabel('Body').fill(`{"name":"${'a long text '.repeat(10)}"}`)
      await page.getByLabel('Method and path').fill(`POST /query/form-array?color=${'abc'.repeat(30)}`)
      await page.getByLabel('Headers').fill(`X-Color: ${'abc'.repeat(30)}`)
      await expect.poll(findSmall).toEqual([])
      expect(await findTabFaults(tab)).toEqual([])
    },
  )

  it('has links on a phone that are large enough for a thumb', async () => {
    const { page } = await openAt('/lab', 'narrow')
    const links = await page
      .locator('.lab-group summary')
      .first()
      .click()
      .then(() =>
        page
          .locator('.lab-group li:visible a')
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height)),
      )
    expect(Math.min(...links)).toBeGreaterThanOrEqual(24)
  })

  it.each(['query/form-array', 'header/integer', 'body/object', 'cookie/two', 'multipart/file'])(
    'shows the difference of each form on a phone without scrolling sideways: %s',
    async (id) => {
      const { page } = await openAt(`/lab/cases/${id}`, 'narrow')
      const marks = verdictOf(page).locator('mark')
      const edges = await marks.evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]),
      )
      for (const [left = 0, right = 0] of edges) expect([left >= 0, right <= 390]).toEqual([true, true])
      const sides = verdictOf(page).locator('.lab-sides')
      await expect
        .poll(() => sides.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth)))
        .toEqual([0])
    },
  )

  it.each(['reduce', 'no-preference'] as const)(
    'scrolls to the verdict if it is out of sight, and keeps the focus (motion: %s)',
    async (reducedMotion) => {
      const tab = await here.open({ ...WIDTHS.narrow, reducedMotion })
      const { page } = tab
      await page.goto(`${here.galaxy.url}/lab/cases/body/text`)
      await page.getByLabel('Body').fill('line\n'.repeat(30))
      const send = page.getByRole('button', { name: 'Send' })
      await send.press('Enter')
      await expect.poll(() => wordOf(page)).toBe('fail')
      await expect
        .poll(() =>
          verdictOf(page)
            .locator('.bench-word')
            .evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight),
        )
        .toBe(true)
      await expect.poll(() => send.evaluate((one) => one.matches(':focus'))).toBe(true)
    },
  )

  it('sends to the universe that it is in', async () => {
    const { url } = await bodyOf(await fetch(`${here.galaxy.url}/universes`, { method: 'POST', headers: ownAddress() }))
    const { page } = await openAt('/lab/cases/query/form-array', 'wide', url)
    const sent = page.waitForRequest('**/lab/try/**')
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await sent).url()).toBe(`${url}/lab/try/query/form-array?color=blue%2Cblack%2Cbrown`)
  })

  it('has options that name the verdict of each form', async () => {
    const { page } = await openAt('/lab/cases/query/null')
    const spec = CASES.find(({ id }) => id === 'query/null')
    const wanted = spec ? benchFormsOf(spec).map(({ name, verdict }) => `${name} (${verdict})`) : []
    expect(wanted).toContain('null (info)')
    await expect.poll(() => page.getByLabel('Form').locator('option').allTextContents()).toEqual(wanted)
    const groups = await page
      .getByLabel('Case', { exact: true })
      .locator('optgroup')
      .evaluateAll((all) => all.map((one) => one.getAttribute('label')))
    expect(groups).toEqual([
      'path',
      'query',
      'header',
      'cookie',
      'form',
      'multipart',
      'body',
      'xml',
      'response',
      'redirect',
    ])
  })
})

describe.skipIf(!chromium)('the cases', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  it.each(NAMES)('are filtered, which the address keeps: %s', async (width) => {
    const tab = await here.open({ ...WIDTHS[width] })
    const { page } = tab
    await page.goto(`${here.galaxy.url}/lab?level=core&group=nothing`)
    const status = page.locator('#case-count')
    await expect.poll(() => status.textContent()).toBe('There is no group "nothing", so it is ignored. 99 of 206 cases')
    await page.getByLabel('Group').selectOption('query')
    await page.getByLabel('Text').fill('comma')
    await expect.poll(() => status.textContent()).toBe('2 of 206 cases')
    await expect
      .poll(() => page.locator('.lab-group li:visible a').allTextContents())
      .toEqual(['query/form-array', 'query/comma-item'])
    await expect.poll(() => new URL(page.url()).search).toBe('?level=core&group=query&text=comma')
    expect(await findPageFaults(tab)).toEqual([])
    await page.getByRole('link', { name: 'query/comma-item' }).click()
    await page.getByRole('heading', { level: 1, name: 'query/comma-item' }).waitFor()
  })

  it.each([
    ['wide', ['query/form-array', 'multipart/file', 'retry/same-key', 'cookie/two', 'response/bytes']],
    ['narrow', ['query/form-array', 'multipart/file', 'retry/same-key', 'response/bytes']],
  ] as const)('have a page each, with what real clients send: %s', async (width, ids) => {
    for (const id of ids) {
      const tab = await here.open({ ...WIDTHS[width] })
      await tab.page.goto(`${here.galaxy.url}/lab/cases/${id}`)
      await tab.page.getByText('The operation in OpenAPI 3.1').click()
      expect(await findPageFaults(tab)).toEqual([])
    }
  })

  it('open at the anchors that links had before', async () => {
    const { page } = await here.open({ ...WIDTHS.wide })
    await page.goto(`${here.galaxy.url}/lab#query-form-array`)
    await expect.poll(() => page.locator('li:target').isVisible()).toBe(true)
  })
})
