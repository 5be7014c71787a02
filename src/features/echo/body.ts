import type { Bytes } from '../../domain/webhook-signature.ts'
import { parseContentType } from '../../http/body/content-type.ts'
import { FORM_TYPE } from '../../http/body/form.ts'
import { FORMATS } from '../../http/pipeline/formats.ts'
import { type JsonValue, parseExactJson } from '../../lib/json.ts'
import { decodeUtf8 } from '../../lib/text.ts'
import { readForm, readMultipart } from './forms.ts'

/** How the answer tells a body; of none there is nothing to tell. */
export interface DescribedBody {
  body?: JsonValue
  /** Where `body` is neither what was read nor text. */
  encoding?: 'base64'
}

/**
 * Tells a body as what its media type says, and wherever that would lose anything (it is not what it says, or has bytes
 * that no text can have) as plainly as `describePlainly` does.
 */
export async function describeBody(bytes: Bytes, headers: Headers): Promise<DescribedBody> {
  const body = bytes.byteLength === 0 ? undefined : await parse(bytes, headers)
  return body === undefined ? describePlainly(bytes) : { body }
}

/** Tells a body as its text or, where it is no UTF-8, as base64. */
export function describePlainly(bytes: Bytes): DescribedBody {
  if (bytes.byteLength === 0) return {}
  const text = decodeUtf8(bytes)
  return text === undefined ? { body: bytes.toBase64(), encoding: 'base64' } : { body: text }
}

async function parse(bytes: Bytes, headers: Headers): Promise<JsonValue | undefined> {
  const { type } = parseContentType(headers)
  if (type === 'multipart/form-data') return await readMultipart(bytes, headers)
  const text = decodeUtf8(bytes)
  if (text === undefined) return undefined
  if (type === FORM_TYPE) return readForm(text)
  // As everywhere in the service, a body without a type is read as JSON, and a byte-order mark is none of it.
  return type === '' || FORMATS.json.takes(type) ? parseExactJson(text.replace(/^\uFEFF/, '')) : undefined
}
