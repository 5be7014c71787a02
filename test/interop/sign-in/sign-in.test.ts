import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../../service/galaxy.ts'
import { chromium, findOperation, signInAndAllow, useBrowser } from '../../service/in-browser.ts'
import { freePort } from '../../service/ports.ts'
import { World } from '../../service/world.ts'
import { narrowDocument } from '../../support/part-of-document.ts'
import { SwaggerUi, serveSwaggerUi } from '../tools/imports/swagger-ui.ts'

// Popular libraries with their default settings sign a user in on our pages, in a real browser. Each application runs
// in a separate process (apps), as it does in real use.

const APPS = join(import.meta.dirname, 'apps')
const account = { name: 'Ada', email: `ada-${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }

interface Library {
  name: string
  /** Where the response goes. */
  callback: string
  /** The metadata with which its client is registered, besides name and redirect URI. */
  metadata?: object
  /** What it asks for by default. */
  scope: 'openid' | 'openid profile email'
  /** What the application needs before it sends the user away. */
  begin?: (page: Page) => Promise<void>
}

const OIDC_CLIENT_TS: Library = {
  name: 'oidc-client-ts',
  callback: '/callback',
  metadata: { token_endpoint_auth_method: 'none' },
  scope: 'openid',
}

const LIBRARIES: Library[] = [
  {
    name: 'auth-express',
    callback: '/auth/callback/galaxy',
    scope: 'openid profile email',
    async begin(page) {
      await page.goto(new URL('/auth/signin', page.url()).href)
      await page.getByRole('button', { name: 'Sign in with Galaxy' }).click()
    },
  },
  {
    name: 'express-openid-connect',
    callback: '/callback',
    metadata: { response_types: ['id_token'] },
    scope: 'openid profile email',
  },
  { name: 'openid-client', callback: '/callback', scope: 'openid profile email' },
  OIDC_CLIENT_TS,
]

describe.skipIf(!chromium)('a user signs in to an application with', () => {
  const surroundings = useBrowser()
  let apps: ChildProcess[] = []
  let userId = 0
  let authorization = ''

  beforeAll(async () => {
    userId = (await post('/user/signup', account)).id
    authorization = `Bearer ${(await post('/auth/token', account)).token}`
  })

  afterEach(async () => {
    await Promise.all(
      apps.map((app) => {
        const ended = new Promise((resolve) => app.on('exit', resolve))
        return app.kill() ? ended : undefined
      }),
    )
    apps = []
  })

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<any> {
    const response = await fetch(new URL(path, surroundings.galaxy.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    expect(response.ok, await response.clone().text()).toBe(true)
    return await bodyOf(response)
  }

  /** Registers a client that the user owns, and runs its application. @returns The origin of the application */
  async function start({ name, callback, metadata }: Library): Promise<string> {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const input = { client_name: name, redirect_uris: [origin + callback], ...metadata }
    const client = await post('/oauth/register', input, { Authorization: authorization })
    const app = spawn('node', [join(APPS, `${name}.ts`)], {
      env: {
        ...process.env,
        ISSUER: surroundings.galaxy.url,
        CLIENT_ID: client.client_id,
        CLIENT_SECRET: client.client_secret ?? '',
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    apps.push(app)
    await new Promise((resolve, reject) => {
      app.stdout?.once('data', resolve)
      app.once('exit', () => reject(new Error(`${name} has ended`)))
    })
    return origin
  }

  async function goTo(page: Page, url: string, { begin }: Library): Promise<void> {
    await page.goto(url)
    await begin?.(page)
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('E-mail address').fill(account.email)
    await page.getByLabel('Password').fill(account.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  /** Waits until the application shows this about the user, as JSON. */
  async function expectShown(page: Page, origin: string, user: object): Promise<void> {
    const read = async () => {
      const text = await page.evaluate<string>('document.body.innerText')
      return page.url().startsWith(`${origin}/`) && text.includes('{')
        ? JSON.parse(text).user
        : `${page.url()}: ${text}`
    }
    await expect.poll(read).toMatchObject(user)
  }

  it.each(LIBRARIES)('$name, and is not asked for the same again', async (library) => {
    const origin = await start(library)
    const page = await (await surroundings.browser.newContext()).newPage()
    await goTo(page, origin, library)
    await signIn(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    const known = library.scope === 'openid' ? { sub: String(userId) } : { name: account.name, email: account.email }
    await expectShown(page, origin, known)
    // Only the application forgets the user. The service does not.
    for (const { name, domain } of await page.context().cookies(origin)) {
      if (!name.includes('galaxy-browser')) await page.context().clearCookies({ name, domain })
    }
    await goTo(page, origin, library)
    await expectShown(page, origin, known)
    await page.context().close()
  })

  it('oidc-client-ts, which renews it in an iframe without asking (prompt=none)', async () => {
    const origin = await start(OIDC_CLIENT_TS)
    const page = await (await surroundings.browser.newContext()).newPage()
    await page.goto(origin)
    await signIn(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    await expectShown(page, origin, { sub: String(userId) })
    await page.goto(`${origin}/silent`)
    await expectShown(page, origin, { sub: String(userId) })
    await page.context().close()
  })

  it('Swagger UI on another origin, by a code with PKCE', async () => {
    const { galaxy, browser } = surroundings
    const documentUrl = `${galaxy.url}/openapi.json`
    const site = await serveSwaggerUi(documentUrl)
    const metadata = { redirect_uris: [`${site.url}oauth2-redirect.html`], token_endpoint_auth_method: 'none' }
    const { client_id: clientId } = await post('/oauth/register', metadata)
    const page = await (await browser.newContext()).newPage()
    // Swagger UI takes seconds to show all operations. imports.test.ts tests that it does.
    const getMe = findOperation('getMe')
    await narrowDocument(page, documentUrl, [getMe.operationId])
    const swaggerUi = new SwaggerUi(page)
    await swaggerUi.open(site.url)
    await swaggerUi.signIn(clientId, 'read:account', (popup) => signInAndAllow(popup, account))
    const { status, text } = await swaggerUi.execute(getMe, await World.open(galaxy.url))
    expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining(account.name) })
    await page.context().close()
    await site.close()
  })
})
