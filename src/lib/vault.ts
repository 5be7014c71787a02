import { toBase64Url } from './sha256.ts'
import { decodeUtf8 } from './text.ts'

const IV_BYTES = 12
const ALGORITHM = 'AES-GCM'

/** A key of 256 bits, and the version that is stored with each text that it encrypts. */
export interface DataKey {
  version: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * The error for a text that cannot be decrypted: it was encrypted for another purpose, with an unknown key, or not by
 * this service.
 */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

/**
 * Encrypts secrets that the service must store, so that they cannot be read in the database (AES-GCM, NIST SP 800-38D).
 * The result contains the version of its key. So a new key can be added in front of the older ones, which still
 * decrypt.
 */
export class Vault {
  readonly #keys: readonly [DataKey, ...DataKey[]]

  /** @param keys The first key encrypts. All keys decrypt. */
  constructor(keys: readonly [DataKey, ...DataKey[]]) {
    this.#keys = keys
  }

  /** The versions of the keys that only decrypt. */
  get olderVersions(): string[] {
    const [, ...older] = this.#keys
    return older.map(({ version }) => version)
  }

  /**
   * @param purpose Names the kind and the owner of the text. The result can only be decrypted for the same purpose, so
   * a value that is copied to the row of another owner is useless.
   * @returns `version.iv.ciphertext`, the last two in base64url
   */
  async seal(text: string, purpose: string): Promise<string> {
    const [key] = this.#keys
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const content = new TextEncoder().encode(text)
    const ciphertext = await crypto.subtle.encrypt(cipherParameters(iv, purpose), await importKey(key), content)
    return [key.version, toBase64Url(iv), toBase64Url(new Uint8Array(ciphertext))].join('.')
  }

  /** @throws CannotOpen if the text is no result of `seal` for this purpose */
  async open(sealed: string, purpose: string): Promise<string> {
    const [version = '', iv = '', content = ''] = sealed.split('.')
    const key = this.#keys.find((candidate) => candidate.version === version)
    if (!key) throw new CannotOpen(`there is no key with the version ${version}`)
    const bytes = await decrypt(key, iv, content, purpose)
    const text = decodeUtf8(bytes)
    if (text === undefined) throw new CannotOpen('the decrypted bytes are not a text')
    return text
  }
}

/**
 * @param iv In base64url
 * @param content In base64url
 * @throws CannotOpen
 */
async function decrypt(key: DataKey, iv: string, content: string, purpose: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const parameters = cipherParameters(fromBase64Url(iv), purpose)
    return new Uint8Array(await crypto.subtle.decrypt(parameters, await importKey(key), fromBase64Url(content)))
  } catch {
    throw new CannotOpen(`the key with the version ${key.version} does not decrypt the text`)
  }
}

function cipherParameters(iv: Uint8Array<ArrayBuffer>, purpose: string) {
  return { name: ALGORITHM, iv, additionalData: new TextEncoder().encode(purpose) }
}

async function importKey({ bytes }: DataKey): Promise<CryptoKey> {
  return await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt'])
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { alphabet: 'base64url' })
}
