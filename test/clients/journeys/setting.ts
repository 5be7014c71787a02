import { randomUUID } from 'node:crypto'

/** Where the service runs. */
export const GALAXY_URL = process.env.GALAXY_URL ?? ''

/** An account that nobody has yet. */
export function newAccount() {
  return { name: 'Liet', email: `${randomUUID()}@example.com`, password: 'i-love-planets' }
}

/** A PNG of one pixel. */
export const PICTURE = new Blob(
  [
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  { type: 'image/png' },
)
