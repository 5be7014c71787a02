import { bodyOf, createClient } from '../../../support/app.ts'
import { type Sent, type Told, writeRow } from './rows.ts'

/** What the service answers to a row, at the bench that keeps nothing. A number is the status of an answer without a verdict. */
export async function sendRow(row: Sent): Promise<Told | number> {
  const { method, rest, query, headers, body } = writeRow(row)
  const url = `/lab/try/${row.to}${rest}${query && `?${query}`}`
  // Bytes, for which no client sets a Content-Type by itself.
  const content = row.body !== undefined && { body: Uint8Array.from(body) }
  const response = await createClient().send(url, { method, headers, ...content })
  return response.status === 200 ? await bodyOf(response) : response.status
}
