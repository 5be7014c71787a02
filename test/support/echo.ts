import { createClient, type Overrides } from './app.ts'

/** Sends a request that the document does not cover: to the host of the echo, or to open a WebSocket. */
export async function sendToEcho(url: string, init?: RequestInit, overrides: Overrides = {}): Promise<Response> {
  return await createClient(overrides).sendRaw(url, init)
}

/** What the echo returns about a request, without the length that HTTP adds. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function echoOf(url: string, init?: RequestInit, overrides?: Overrides): Promise<any> {
  const { headers, ...told } = Object(await (await sendToEcho(url, init, overrides)).json())
  const { 'content-length': length, ...others } = headers ?? {}
  return { ...told, headers: new Headers(init?.headers).has('Content-Length') ? headers : others }
}

export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex()
}
