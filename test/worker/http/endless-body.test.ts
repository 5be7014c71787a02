import { beforeAll, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../../src/domain/limits.ts'
import { type Account, authorization, createAccount, createClient, createPlanet } from '../../support/app.ts'

// The service stops reading. The object of a universe does not: it takes the rest for a while, and throws it away.

const IMAGE_MAX_BYTES = 5 * 1024 * 1024

const client = createClient()
let account: Account

beforeAll(async () => {
  account = await createAccount(client)
})

/** Sends a body that never ends. @returns The status, and how many bytes were taken */
async function sendEndless(path: string, headers: Record<string, string> = {}): Promise<[number, number]> {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = new Uint8Array(16 * 1024).fill(32)
      sent += chunk.byteLength
      controller.enqueue(chunk)
    },
  })
  const response = await client.send(path, { method: 'POST', body, headers: { ...authorization(account), ...headers } })
  return [response.status, sent]
}

it('a document is rejected when it has passed the limit', async () => {
  const [status, sent] = await sendEndless('/planets')
  expect(status).toBe(413)
  expect(sent).toBeLessThan(2 * ENTITY_MAX_BYTES)
})

it('an upload is rejected when it has passed the limit', async () => {
  const { id } = await createPlanet(client, account, { name: 'Pictured' })
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' }
  const [status, sent] = await sendEndless(`/planets/${id}/image`, form)
  expect(status).toBe(413)
  expect(sent).toBeLessThan(2 * IMAGE_MAX_BYTES)
})
