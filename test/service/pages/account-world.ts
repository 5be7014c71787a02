import type { Page } from 'playwright-core'
import { getTokens, registerClient, type Send } from '../../support/oauth.ts'
import { bodyOf } from '../galaxy.ts'
import { PASSWORD } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'

/** A user whose account has something in every section of the page. */
export interface Person {
  email: string
  token: string
  send(method: string, path: string, body?: object): Promise<Response>
  /** As `send`, with the JSON of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  make(method: string, path: string, body?: object): Promise<any>
}

/** Signs up. */
export async function makePerson(url: string, name = 'Ada'): Promise<Person> {
  const account = { email: `${crypto.randomUUID()}@galaxy.test`, password: PASSWORD }
  const address = ownAddress()
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(new URL(path, url), {
      method,
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...address, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  await call('POST', '/user/signup', { ...account, name })
  const { token } = await bodyOf(await call('POST', '/auth/token', account))
  const send: Person['send'] = (method, path, body) => call(method, path, body, { Authorization: `Bearer ${token}` })
  return { email: account.email, token, send, make: async (...request) => bodyOf(await send(...request)) }
}

/** Lets an application use the account, and registers a client of the account. Both have this name. */
export async function addApplications(
  url: string,
  person: Pick<Person, 'email' | 'send'>,
  name: string,
): Promise<void> {
  const send: Send = (path, init = {}) =>
    fetch(new URL(path, url), { redirect: 'manual', ...init, headers: { ...init.headers, ...ownAddress() } })
  const client = await registerClient(send, { client_name: name })
  await getTokens(send, { email: person.email, password: PASSWORD }, client, 'read:planets offline_access')
  await person.send('POST', '/oauth/register', { client_name: name, redirect_uris: ['http://127.0.0.1/callback'] })
}

/** Waits until a delivery of the user has succeeded. */
export async function untilDelivered(person: Person): Promise<void> {
  for (;;) {
    const { meta } = await person.make('GET', '/deliveries?status=delivered')
    if (meta.total > 0) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The user who has signed in on a page. */
export function sendAs(page: Page): Person['send'] {
  return async (method, path, body) => {
    const session = JSON.parse(await page.evaluate<string>('sessionStorage.getItem("galaxy.session")'))
    const headers = { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' }
    return await fetch(new URL(path, page.url()), { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
}

/** Creates a planet of the user who has signed in on a page, with this callback URL. */
export async function createPlanet(page: Page, successCallbackUrl: string | null): Promise<void> {
  await sendAs(page)('POST', '/planets', { name: 'Arrakis', successCallbackUrl })
}
