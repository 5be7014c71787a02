import { beforeAll, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../../src/domain/limits.ts'
import { type Account, authorization, createAccount, createClient, createPlanet } from '../../support/app.ts'

// The service stops reading. For a universe, it reads 1 MiB more and discards it (src/universes/pass-on.ts).

const IMAGE_MAX_BYTES = 5 * 1024 * 1024
/** How much more may be taken: by the service, and by buffers on the way. */
const EXCESS_MAX_BYTES = (1024 + 256) * 1024

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
  expect(sent).toBeLessThan(ENTITY_MAX_BYTES + EXCESS_MAX_BYTES)
})

it('an upload is rejected when it has passed the limit', async () => {
  const { id } = await createPlanet(client, account, { name: 'Pictured' })
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' }
  const [status, sent] = await sendEndless(`/planets/${id}/image`, form)
  expect(status).toBe(413)
  expect(sent).toBeLessThan(IMAGE_MAX_BYTES + EXCESS_MAX_BYTES)
})
