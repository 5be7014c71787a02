import { expect } from 'vitest'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
  type Overrides,
} from '../../../support/app.ts'
import { type Registered, registerClient, type Send } from '../../../support/oauth.ts'

// Shared by the tests of the provider.

/** The provider, for tests that register more clients than one address may in an hour. */
export function createProvider({ config, ...overrides }: Overrides = {}): Client {
  return createClient({ ...overrides, config: { signupsPerHour: 100_000, ...config } })
}

/**
 * Registers a public client that a user owns. Its errors are redirected to it in any browser. Errors of a client
 * without an owner are shown on a page until the user has signed in.
 */
export async function registerOwned(client: Client, metadata: object = {}, owner?: Account): Promise<Registered> {
  const { token } = owner ?? (await createAccount(client))
  return await registerClient(
    client.send,
    { token_endpoint_auth_method: 'none', ...metadata },
    bearer(token).Authorization,
  )
}

/** A clock that only the test moves. */
export class Clock {
  ms = Date.now()

  readonly now = (): Date => new Date(this.ms)

  pass(seconds: number): void {
    this.ms += Math.round(seconds * 1000)
  }
}

/** A provider with a clock of its own, and a user of it. */
export async function openTimed(): Promise<{ clock: Clock; client: Client; account: Account }> {
  const clock = new Clock()
  const client = createProvider({ now: clock.now })
  return { clock, client, account: await createAccount(client) }
}

/** The claims of every ID token that was issued just now. */
export function idTokenClaims({ ms }: Clock, { id }: Account, clientId: string): Record<string, unknown> {
  const issuedAt = Math.floor(ms / 1000)
  return { iss: ORIGIN, sub: String(id), aud: clientId, iat: issuedAt, exp: issuedAt + 3600, auth_time: issuedAt }
}

/** Requests from a client address of their own, because the limits count by address. */
export function sendFrom({ send }: Client, address: string = crypto.randomUUID()): Send {
  return (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('CF-Connecting-IP', address)
    return send(path, { ...init, headers })
  }
}

/** Expects an error as RFC 6749, section 5.2 defines it. */
export async function expectError(response: Response, status: number, error: string): Promise<void> {
  const body = await bodyOf(response)
  expect({ status: response.status, error: body.error }, body.error_description).toEqual({ status, error })
  expect(response.headers.get('Content-Type')).toBe('application/json')
  expect(response.headers.get('Cache-Control')).toBe('no-store')
  // The characters allowed by section 5.2.
  expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
}

/** Expects an error that the browser brings to the client (RFC 6749, section 4.1.2.1). @returns The redirect */
export function expectRedirectError(response: Response, redirectUri: string, error: string): URL {
  expect(response.status).toBe(303)
  const location = new URL(response.headers.get('Location') ?? '')
  const parameters = location.hash === '' ? location.searchParams : new URLSearchParams(location.hash.slice(1))
  expect(`${location.origin}${location.pathname}`).toBe(redirectUri)
  expect(parameters.get('error'), parameters.get('error_description') ?? '').toBe(error)
  expect(parameters.get('error_description')).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  for (const name of ['code', 'access_token', 'id_token']) expect(parameters.has(name)).toBe(false)
  return location
}

/** Expects a page that shows the error to the user, without a redirect. */
export async function expectErrorPage(response: Response, status = 400): Promise<string> {
  expect(response.status).toBe(status)
  expect(response.headers.get('Location')).toBeNull()
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  const page = await response.text()
  expect(page).toContain('<p class="fault" role="alert">')
  return page
}

/** The Authorization header of a token. */
export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` }
}

/** The Authorization header of a client, both parts encoded as in a form (RFC 6749, section 2.3.1). */
export function basic(id: string, secret: string): { Authorization: string } {
  return { Authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}` }
}
