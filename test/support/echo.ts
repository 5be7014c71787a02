import { createExecutionContext } from 'cloudflare:test'
import { createApp } from '../../src/app.ts'
import { createClient, ORIGIN, type Overrides } from './app.ts'

const app = createApp()

/** Sends a request that the document does not cover: to the host of the echo, or to open a WebSocket. */
export async function sendToEcho(url: string, init?: RequestInit, overrides: Overrides = {}): Promise<Response> {
  const { services } = createClient(overrides)
  return await app.fetch(new Request(new URL(url, ORIGIN), init), { services }, createExecutionContext())
}

/** What the echo returns about a request. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function echoOf(url: string, init?: RequestInit, overrides?: Overrides): Promise<any> {
  const response = await sendToEcho(url, init, overrides)
  return await response.json()
}

export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex()
}
