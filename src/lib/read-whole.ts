import type { Bytes } from './webhook-signature.ts'

/**
 * Reads a body to its end, counting what comes: what it says of its own length is not relied on.
 *
 * @returns Undefined where it has more bytes than that; the rest is then not read
 */
export async function readWhole(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Bytes | undefined> {
  if (!body) return new Uint8Array()
  const parts: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return join(parts, length)
    length += value.byteLength
    if (length > maxBytes) break
    parts.push(value)
  }
  await reader.cancel()
  return undefined
}

function join(parts: readonly Uint8Array[], length: number): Bytes {
  const whole = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.byteLength
  }
  return whole
}
