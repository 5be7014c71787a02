/** The SHA-256 of bytes, or of a text in UTF-8. */
export async function sha256(content: string | BufferSource): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Base64url without padding (RFC 7515, section 2), the encoding of digests in OAuth. */
export function toBase64Url(bytes: Uint8Array<ArrayBuffer>): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}
