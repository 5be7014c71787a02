/** Bytes that Web Crypto takes: in memory that no other thread shares. */
export type Bytes = Uint8Array<ArrayBuffer>

/** @param parts A list and not arguments, because a body can arrive in more pieces than a call can have arguments */
export function joinBytes(parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let position = 0
  for (const part of parts) {
    joined.set(part, position)
    position += part.byteLength
  }
  return joined
}

/** The UTF-8 of a text. */
export function encodeText(text: string): Bytes {
  // Copied only for the compiler: by its type, the result of `encode` could be shared memory.
  return new Uint8Array(new TextEncoder().encode(text))
}

/** @returns Undefined if the text is not base64 with padding in its only correct form (RFC 4648, sections 3.5 and 4) */
export function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' })
  } catch {
    return undefined
  }
}
