import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

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

/** A credential of a receiver. */
export const RECEIVER_TOKEN = randomUUID()

interface Page {
  data: readonly { id: number }[]
  meta: { next: string | null }
}

/** Reads three pages of a list, each by the link of the one before. No item may be on two of them. */
export async function readPages(read: (offset: number) => Promise<Page | undefined>): Promise<void> {
  const ids: number[] = []
  let offset = 0
  for (let count = 0; count < 3; count++) {
    const page = await read(offset)
    assert.ok(page?.meta.next)
    ids.push(...page.data.map(({ id }) => id))
    offset = Number(new URL(page.meta.next, GALAXY_URL).searchParams.get('offset'))
  }
  assert.ok(ids.length > 3)
  assert.equal(new Set(ids).size, ids.length)
}

interface Call {
  headers: readonly { name: string; value: string }[]
}

/** Reads an inbox until a call is there. It must have the credential of the receiver. */
export async function receiveCall(readInbox: () => Promise<readonly Call[] | undefined>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const [call] = (await readInbox()) ?? []
    if (call) {
      const credential = call.headers.find(({ name }) => name.toLowerCase() === 'authorization')
      assert.equal(credential?.value, `Bearer ${RECEIVER_TOKEN}`)
      return
    }
    await wait(100)
  }
  assert.fail('no call came to the inbox')
}
