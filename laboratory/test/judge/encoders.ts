// The bytes of bodies that are not in UTF-8, or not plain.

/** The bytes of a text in UTF-16, with a byte order mark unless it says so. */
export function utf16(text: string, order: 'big' | 'little', mark = '\uFEFF'): Uint8Array<ArrayBuffer> {
  const units = mark + text
  const bytes = new Uint8Array(2 * units.length)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < units.length; at++) view.setUint16(2 * at, units.charCodeAt(at), order === 'little')
  return bytes
}

/** Bytes one after the other. Texts are in UTF-8. */
export function joinBytes(...pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(pieces.flatMap((one) => [...(typeof one === 'string' ? new TextEncoder().encode(one) : one)]))
}

/** Encodes bytes, or a text in UTF-8. */
export async function compress(
  body: string | Uint8Array<ArrayBuffer>,
  format: ConstructorParameters<typeof CompressionStream>[0],
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Response(body).body?.pipeThrough(new CompressionStream(format))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
