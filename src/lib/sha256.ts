/** The SHA-256 of bytes, or of a text in UTF-8. */
export async function sha256(content: string | BufferSource): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Base64url without padding (RFC 7515, section 2), the encoding of digests in OAuth. */
export function toBase64Url(bytes: Uint8Array<ArrayBuffer>): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** The SHA-256 of bytes that come in pieces. It keeps none of them. */
export class PiecewiseSha256 {
  readonly #stream = new crypto.DigestStream('SHA-256')
  readonly #writer = this.#stream.getWriter()

  /** @param bytes They must not change until this resolves */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes)
  }

  /** Gets the digest of everything that was written. */
  async end(): Promise<Uint8Array> {
    await this.#writer.close()
    return new Uint8Array(await this.#stream.digest)
  }
}
