import { type Bytes, joinBytes } from './bytes.ts'

type Body = ReadableStream<Uint8Array> | null

/**
 * Reads the beginning of a body, and cancels the rest.
 *
 * @returns `maxBytes` bytes, or all bytes if there are fewer
 * @throws The error of the stream
 */
export async function readStart(body: Body, maxBytes: number): Promise<Bytes> {
  if (!body) return new Uint8Array()
  const parts: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  while (length < maxBytes) {
    const { done, value } = await reader.read()
    if (done) return joinBytes(parts)
    const part = value.subarray(0, maxBytes - length)
    parts.push(part)
    length += part.byteLength
  }
  await reader.cancel()
  return joinBytes(parts)
}

/**
 * Reads a whole body. It counts the bytes that arrive and does not rely on a declared length.
 *
 * @returns Undefined if the body is longer than `maxBytes`; the rest is not read
 */
export async function readWhole(body: Body, maxBytes: number): Promise<Bytes | undefined> {
  // One byte more shows whether the body is too long.
  const bytes = await readStart(body, maxBytes + 1)
  return bytes.byteLength > maxBytes ? undefined : bytes
}
