import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readCompleteDocument } from '../../scripts/lib/complete-documents.ts'
import { closeAllTabs, findChromium, openTab, shareBrowser, type Tab } from '../support/browser.ts'
import { Conformance } from '../support/conformance.ts'
import {
  authorizationPath,
  type DeviceCodes,
  getDeviceCodes,
  PKCE,
  pollTokens,
  type Registered,
  registerClient,
  registerDevice,
  requestTokens,
  type Send,
} from '../support/oauth.ts'
import { bodyOf } from './galaxy.ts'
import { findBarriers, findOverflow } from './pages/pages.ts'
import { freePort } from './ports.ts'
import { shareGalaxy } from './prepared-state.ts'

const chromium = findChromium()
if (!chromium) {
  console.warn('THE TESTS OF THE PAGES DID NOT RUN: there is no Chromium. CHROMIUM can name one.')
}

const conformance = new Conformance(JSON.parse(await readCompleteDocument('common')))
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 320, height: 640 }
/** Each colour scheme and each width. The styles of neither depend on the other. */
const LOOKS = [
  { colorScheme: 'light', viewport: WIDE },
  { colorScheme: 'dark', viewport: NARROW },
] as const
const PASSWORD = 'i-love-planets'
const ADA = { name: 'Ada', email: `ada-${crypto.randomUUID()}@galaxy.test`, password: PASSWORD }
const GRACE = { name: 'Grace', email: `grace-${crypto.randomUUID()}@galaxy.test`, password: PASSWORD }
const MARKUP = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>'"&amp;`
const LONG = 'Wolkenkuckucksheim'.repeat(11)
/** WCAG 2.2, success criterion 1.4.11. */
const OUTLINE_CONTRAST_MIN = 3

describe.skipIf(!chromium)('in a browser', () => {
  const galaxy = shareGalaxy()
  let browser: Browser
  let app: App
  let client: Registered
  /** The same application, registered by a user. So it gets errors even if no user is signed in. */
  let owned: Registered
  let tab: Tab
  let page: Page

  beforeAll(async () => {
    browser = await shareBrowser()
    app = await startApp()
    client = await registerClient(send, { client_name: 'Atlas', redirect_uris: ['http://127.0.0.1/callback'] })
    for (const account of [ADA, GRACE]) await signUp(account)
    const basic = `Basic ${btoa(`${ADA.email}:${PASSWORD}`)}`
    owned = await registerClient(send, { redirect_uris: ['http://127.0.0.1/callback'] }, basic)
  })

  afterAll(async () => {
    await closeAllTabs(browser)
    await app.stop()
  })

  const send: Send = (path, init) => fetch(new URL(path, galaxy.url), init)

  async function signUp(account: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' }
    const { status } = await send('/user/signup', { method: 'POST', headers, body: JSON.stringify(account) })
    expect(status).toBe(201)
  }

  async function open(options: Parameters<typeof openTab>[3] = {}): Promise<void> {
    tab = await openTab(browser, galaxy.url, conformance, options)
    page = tab.page
  }

  // The client sends users here, and they return to it.
  const isOfApp = /^a request to http:\/\/127\.0\.0\.1:/
  const isRefused: RegExp[] = []
  afterEach(async () => {
    expect(await tab.recording.takeFaults(isOfApp, ...isRefused.splice(0))).toEqual([])
    await tab.close()
  })

  /** An authorization request of the client. */
  const request = (parameters: Readonly<Record<string, string>> = {}, of = client): string =>
    galaxy.url + authorizationPath(of.id, { redirect_uri: app.callback, scope: 'openid email', ...parameters })

  /** Signs a user in with this browser, unless one is signed in. */
  async function arriveSignedIn(url = request()): Promise<void> {
    await page.goto(url)
    await page.getByLabel('E-mail address').fill(ADA.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
  }

  async function openDevicePage(userCode: string): Promise<void> {
    await page.goto(`${galaxy.url}/device?${new URLSearchParams({ user_code: userCode })}`)
    await page.getByLabel('Code that your device shows').waitFor()
  }

  /** A user types the code of a device and signs in. @returns The device and its codes */
  async function arriveFromDevice(client_name = 'Television'): Promise<{ device: Registered; codes: DeviceCodes }> {
    const device = await registerDevice(send, { client_name })
    const codes = await getDeviceCodes(send, device)
    await openDevicePage(codes.user_code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('E-mail address').fill(ADA.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    return { device, codes }
  }

  /** Exchanges the code of a redirect, and finds out which user has allowed it. */
  async function whoAllowed(redirect: URL): Promise<string> {
    const response = await requestTokens(send, client, {
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      redirect_uri: app.callback,
      code_verifier: PKCE.verifier,
    })
    const { access_token } = await bodyOf(response)
    const user = await send('/oauth/userinfo', { headers: { Authorization: `Bearer ${access_token}` } })
    return (await bodyOf(user)).email
  }

  describe('without a mouse', () => {
    /** Expects that an element has the focus, and that the page shows it. */
    async function expectFocus(name: string): Promise<void> {
      const contrast = expect.toSatisfy((ratio) => ratio >= OUTLINE_CONTRAST_MIN)
      await expect.poll(() => focusOf(page)).toEqual({ name, outline: 'solid 3px', contrast })
    }

    /** Presses Tab for each of these elements, in this order. */
    async function tabTo(...names: string[]): Promise<void> {
      for (const name of names) {
        await page.keyboard.press('Tab')
        await expectFocus(name)
      }
    }

    /** Goes past the header of the page, as a reader without a mouse does. */
    async function skipHeader(): Promise<void> {
      await tabTo('Skip to content')
      await page.keyboard.press('Enter')
      // The browser follows a link to a part of the page with its next frame.
      await expect.poll(() => focusOf(page)).not.toMatchObject({ name: 'Skip to content' })
    }

    /** The e-mail address has the focus when the page opens. */
    async function typeCredentials({ email, password }: typeof ADA): Promise<void> {
      await expectFocus('E-mail address')
      await page.keyboard.type(email)
      await tabTo('Password')
      await page.keyboard.type(password)
    }

    it.each(['light', 'dark'] as const)(
      'a user signs in after a wrong password, and allows: %s',
      async (colorScheme) => {
        await open({ colorScheme })
        await page.goto(request())
        await typeCredentials({ ...ADA, password: 'i-hate-planets' })
        await page.keyboard.press('Enter')
        const fault = 'The e-mail address or the password is wrong.'
        await expect.poll(() => page.getByRole('alert').textContent()).toBe(fault)
        await expect.poll(() => page.title()).toMatch(/^Wrong e-mail or password/)
        // What a screen reader announces for the field that has the focus.
        await expect.poll(() => announcement(page)).toEqual({ name: 'Password', description: fault, invalid: 'true' })
        await page.keyboard.type(PASSWORD)
        await tabTo('Sign in')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Allow access' }).waitFor()
        await skipHeader()
        await tabTo('Allow')
        await page.keyboard.press('Space')
        expect(await whoAllowed(await app.answer())).toBe(ADA.email)
      },
    )

    it('after a wrong password, the fields are still in order, and the e-mail address is filled in', async () => {
      await open()
      await page.goto(request())
      await typeCredentials({ ...ADA, password: 'i-hate-planets' })
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await expectFocus('Password')
      await page.keyboard.press('Shift+Tab')
      await expectFocus('E-mail address')
      await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe(ADA.email)
      await expect.poll(() => page.getByLabel('Password').inputValue()).toBe('')
      await tabTo('Password', 'Sign in', 'Create an account')
    })

    it('a user denies', async () => {
      await open()
      await arriveSignedIn()
      await skipHeader()
      await tabTo('Allow', 'Deny')
      await page.keyboard.press('Enter')
      const { searchParams } = await app.answer()
      expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'access_denied', state: 'here' })
      expect(searchParams.has('code')).toBe(false)
    })

    it('a user switches to another account', async () => {
      await open()
      await arriveSignedIn()
      await skipHeader()
      await tabTo('Allow', 'Deny', 'Use another account')
      await page.keyboard.press('Space')
      await page.getByRole('heading', { name: 'Sign in to Galaxy' }).waitFor()
      await typeCredentials(GRACE)
      await page.keyboard.press('Enter')
      await page.getByText(GRACE.email).waitFor()
      await expect.poll(() => page.getByText(ADA.email).count()).toBe(0)
      await skipHeader()
      await tabTo('Allow')
      await page.keyboard.press('Enter')
      expect(await whoAllowed(await app.answer())).toBe(GRACE.email)
    })

    it('a user signs out, and must then sign in again', async () => {
      await open()
      await arriveSignedIn()
      await page.goto(`${galaxy.url}/oauth/end-session`)
      await skipHeader()
      await tabTo('Sign out')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      await page.goto(request())
      await page.getByRole('heading', { name: 'Sign in to Galaxy' }).waitFor()
    })
  })

  it('a user signs in and allows without JavaScript', async () => {
    await open({ javaScriptEnabled: false })
    await arriveSignedIn()
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await whoAllowed(await app.answer())).toBe(ADA.email)
  })

  it('a user signs a device in without a mouse, and without JavaScript', async () => {
    await open({ javaScriptEnabled: false })
    const { device, codes } = await arriveFromDevice()
    await page.getByText(codes.user_code).waitFor()
    await page.getByRole('button', { name: 'Allow' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your device is signed in' }).waitFor()
    expect((await pollTokens(send, device, codes.device_code)).status).toBe(200)
  })

  describe('a response that is posted (form_post)', () => {
    async function allowByForm(): Promise<void> {
      await arriveSignedIn(request({ response_mode: 'form_post' }))
      await page.getByRole('button', { name: 'Allow' }).click()
    }

    it('reaches the client without a click', async () => {
      await open()
      await allowByForm()
      const answer = await app.answer()
      expect([answer.searchParams.get('state'), await whoAllowed(answer)]).toEqual(['here', ADA.email])
      await page.getByText('Atlas has an answer.').waitFor()
    })

    it('reaches the client with the button if there is no JavaScript', async () => {
      await open({ javaScriptEnabled: false })
      await allowByForm()
      await page.getByRole('button', { name: 'Continue' }).click()
      expect(await whoAllowed(await app.answer())).toBe(ADA.email)
    })

    it('can be an error, with a state that is markup', async () => {
      await open()
      await page.goto(request({ response_mode: 'form_post', prompt: 'none', state: MARKUP }, owned))
      const { searchParams } = await app.answer()
      expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'login_required', state: MARKUP })
    })

    it('is posted by an accessible page', async () => {
      await open()
      // With this response of the client, the browser stays on the page.
      await page.route(app.callback, (route) => route.fulfill({ status: 204 }))
      await allowByForm()
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      await expectUsable()
      await expect.poll(() => page.locator('script').count()).toBe(1)
    })
  })

  /** In each layout, axe must find no fault, and the page must not be wider than the window. */
  async function expectUsable(): Promise<void> {
    for (const { colorScheme, viewport } of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      const look = `${colorScheme}, ${viewport.width} pixels wide`
      expect(await findBarriers(page), look).toEqual([])
      expect(await findOverflow(page), look).toEqual([])
    }
  }

  describe('everybody can use', () => {
    /** Registry: the pages, and how a user gets there. */
    const PAGES: Record<string, () => Promise<void>> = {
      'the sign-in page': async () => {
        await page.goto(request())
        await page.getByLabel('Password').waitFor()
      },
      'the sign-in page with its error': async () => {
        await page.goto(request())
        await page.getByLabel('E-mail address').fill(ADA.email)
        await page.getByLabel('Password').fill('i-hate-planets')
        await page.keyboard.press('Enter')
        await page.getByRole('alert').waitFor()
      },
      'the consent page': () => arriveSignedIn(),
      'the consent page of a client that has much to say': async () => {
        const account = {
          email: `${crypto.randomUUID().padEnd(60, 'a')}@${'planet'.repeat(10)}.test`,
          password: PASSWORD,
        }
        await signUp(account)
        const metadata = { client_name: LONG, client_uri: `https://example.com/${LONG}` }
        const redirect_uri = `https://${'planet'.repeat(10)}.example.com/`
        const talkative = await registerClient(send, { ...metadata, redirect_uris: [redirect_uri] })
        const everything = 'read:account write:account read:planets write:planets openid profile email offline_access'
        await page.goto(request({ scope: everything, redirect_uri }, talkative))
        await page.getByLabel('E-mail address').fill(account.email)
        await page.getByLabel('Password').fill(PASSWORD)
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: 'Allow' }).waitFor()
      },
      'the page for the code of a device': () => openDevicePage(''),
      'the page for a code that is wrong': async () => {
        await openDevicePage('BBBB-BBBB')
        await page.keyboard.press('Enter')
        await page.getByRole('alert').waitFor()
      },
      'the question of a device': async () => void (await arriveFromDevice(LONG)),
      'the end of a sign-in on a device': async () => {
        await arriveFromDevice()
        await page.getByRole('button', { name: 'Allow' }).click()
        await page.getByRole('heading', { name: 'Your device is signed in' }).waitFor()
      },
      'the question whether to sign out': async () => {
        await arriveSignedIn()
        await page.goto(`${galaxy.url}/oauth/end-session`)
        await page.getByRole('button', { name: 'Sign out' }).waitFor()
      },
      'the page of who is signed out': async () => {
        await page.goto(`${galaxy.url}/oauth/end-session`)
        await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      },
      'a page that says what is wrong': async () => {
        await page.goto(`${galaxy.url}/oauth/authorize?client_id=nobody`)
        await page.getByRole('alert').waitFor()
      },
      'the page that the popup of the API reference ends on': async () => {
        await page.goto(`${galaxy.url}/docs/oauth2-redirect?code=unused`)
        await page.getByRole('heading', { level: 1 }).waitFor()
      },
    }

    it.each(Object.keys(PAGES))('%s', async (name) => {
      await open()
      await PAGES[name]?.()
      await expectUsable()
      await expect.poll(() => page.locator('script').count()).toBe(0)
    })
  })

  it('the URL on which a popup of the API reference ends is not cached, because it contains the code', async () => {
    await open()
    const response = await page.goto(`${galaxy.url}/docs/oauth2-redirect?code=secret`)
    expect(await response?.allHeaders()).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
  })

  it('markup in what a client sends is shown as text, and its state comes back unchanged', async () => {
    await open()
    const odd = await registerClient(send, { client_name: MARKUP, redirect_uris: ['http://127.0.0.1/callback'] })
    await page.goto(request({ state: MARKUP, login_hint: MARKUP, nonce: MARKUP }, odd))
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe(MARKUP)
    await page.getByText(MARKUP).waitFor()
    await arriveSignedIn(request({ state: MARKUP, nonce: MARKUP }, odd))
    await page.getByText(MARKUP).waitFor()
    // biome-ignore lint/plugin: it is there at no moment
    expect(await page.locator('main').locator('img, script').count()).toBe(0)
    await expect.poll(() => page.title()).toBe('Allow access to your Galaxy account?')
    await page.getByRole('button', { name: 'Allow' }).click()
    expect((await app.answer()).searchParams.get('state')).toBe(MARKUP)
  })

  it('a page of another origin cannot show the pages in a frame', async () => {
    await open()
    const refusal = page.waitForEvent('console', (message) => /frame/i.test(message.text()))
    await page.goto(`${app.origin}/frame?${encodeURIComponent(request())}`)
    expect((await refusal).text()).toMatch(/frame-ancestors|X-Frame-Options/)
    isRefused.push(/^error: (?:Refused to|Framing).*frame/i)
    const frame = page.frames().find((one) => one.parentFrame())
    expect(frame).toBeDefined()
    await expect.poll(() => frame?.locator('input').count()).toBe(0)
  })

  it('a popup of another origin returns to the page that opened it', async () => {
    await open()
    await page.goto(`${app.origin}/popup?${encodeURIComponent(request())}`)
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').click()])
    await popup.getByLabel('E-mail address').fill(ADA.email)
    await popup.getByLabel('Password').fill(PASSWORD)
    await popup.getByRole('button', { name: 'Sign in' }).click()
    await popup.getByRole('button', { name: 'Allow' }).click()
    const answer = await app.answer()
    await page.getByText(`The popup says ${answer.search}`).waitFor()
    expect(await whoAllowed(answer)).toBe(ADA.email)
  })
})

/** The client, which is a web application on this machine. */
interface App {
  origin: string
  callback: string
  /** The next redirect, or one that has arrived since the last call. */
  answer(): Promise<URL>
  stop(): Promise<void>
}

async function startApp(): Promise<App> {
  const answers: URL[] = []
  let heard = () => {}
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const server: Server = createServer(async (request, response) => {
    const { pathname, search, href } = new URL(request.url ?? '/', origin)
    // A posted response has its parameters in the body.
    const posted = request.method === 'POST' ? `?${await text(request)}` : ''
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>Atlas</title>${pageOfApp(pathname, search)}`)
    if (pathname === '/callback') answers.push(new URL(href + posted))
    heard()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin,
    callback: `${origin}/callback`,
    async answer() {
      for (;;) {
        const answer = answers.shift()
        if (answer) return answer
        await new Promise<void>((resolve) => (heard = resolve))
      }
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function pageOfApp(pathname: string, search: string): string {
  const target = decodeURIComponent(search.slice(1)).replaceAll('&', '&amp;')
  const pages: Record<string, string> = {
    '/callback': '<script>opener?.postMessage(location.search, "*")</script>Atlas has an answer.',
    '/frame': `<iframe src="${target}"></iframe>`,
    '/popup': `<button onclick="window.open('${target}')">Sign in</button><p></p>
<script>onmessage = ({ data }) => (document.querySelector('p').textContent = 'The popup says ' + data)</script>`,
  }
  return pages[pathname] ?? ''
}

/** The element that has the focus, and how the page shows it. */
async function focusOf(page: Page): Promise<{ name: string; outline: string; contrast: number }> {
  const { name } = await announcement(page)
  const { outline, colors } = await page.evaluate<{ outline: string; colors: [string, string] }>(`(() => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement)
    const canvas = document.body.appendChild(document.createElement('i'))
    canvas.style.color = 'Canvas'
    const { color } = getComputedStyle(canvas)
    canvas.remove()
    return { outline: outlineStyle + ' ' + outlineWidth, colors: [outlineColor, color] }
  })()`)
  return { name, outline, contrast: contrastOf(...colors) }
}

/** The contrast ratio of WCAG 2.2. @param first `rgb(…)` */
function contrastOf(first: string, second: string): number {
  const [high = 0, low = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** What the browser tells a screen reader of the element that has the focus. */
async function announcement(page: Page): Promise<{ name: string; description: string; invalid: string }> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const property = (node: (typeof nodes)[number], name: string) =>
    node.properties?.find((one) => one.name === name)?.value.value
  const isFocused = (node: (typeof nodes)[number]) => property(node, 'focused') === true
  const node = nodes.find((one) => isFocused(one) && one.role?.value !== 'RootWebArea')
  return {
    name: node?.name?.value ?? '',
    description: node?.description?.value ?? '',
    invalid: node ? String(property(node, 'invalid')) : '',
  }
}
