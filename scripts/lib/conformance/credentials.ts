import { noteSecret } from './secrets.ts'

/** What a request sends to say who its caller is. */
export interface Credential {
  headers?: Record<string, string>
  /** A part of the query. */
  query?: string
}

export function bearer(token: string): Credential {
  noteSecret(token)
  return { headers: { Authorization: `Bearer ${token}` } }
}

export function basic(email: string, password: string): Credential {
  const encoded = Buffer.from(`${email}:${password}`).toString('base64')
  noteSecret(password)
  noteSecret(encoded)
  return { headers: { Authorization: `Basic ${encoded}` } }
}

export function keyInHeader(key: string): Credential {
  noteSecret(key)
  return { headers: { 'X-API-Key': key } }
}

export function keyInQuery(key: string): Credential {
  noteSecret(key)
  return { query: `api_key=${encodeURIComponent(key)}` }
}

export function keyInCookie(key: string): Credential {
  noteSecret(key)
  return { headers: { Cookie: `api_key=${key}` } }
}
