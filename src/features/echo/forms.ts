import type { Bytes } from '../../domain/webhook-signature.ts'
import type { JsonValue } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { groupByName } from './group.ts'

type Field = [name: string, value: JsonValue]

/** Maximum number of fields that are shown one by one, because each takes many times the memory of its text. */
const FIELDS_MAX = 20_000

/** The character that a decoder inserts in place of bytes that it cannot decode. */
const REPLACEMENT = '\uFFFD'

/**
 * The fields of an urlencoded form.
 *
 * @returns Undefined if the fields would not contain everything that was sent
 */
export function readForm(text: string): JsonValue | undefined {
  const hasTooManyFields = text.split('&', FIELDS_MAX + 1).length > FIELDS_MAX
  if (hasTooManyFields) return undefined
  // The parser drops one leading question mark. One is added here, so that the form keeps its own.
  return groupIfLossless([...new URLSearchParams(`?${text}`)])
}

/**
 * The fields of a multipart form (RFC 7578). A file is shown by its name, type, size and hash.
 *
 * @returns Undefined if the form is not complete, or its fields would not contain everything that was sent
 */
export async function readMultipart(bytes: Bytes, headers: Headers): Promise<JsonValue | undefined> {
  const form = await parseMultipart(bytes, headers)
  if (!form) return undefined
  const fields: Field[] = []
  for (const [name, value] of form) fields.push([name, typeof value === 'string' ? value : await describeFile(value)])
  const fileCount = [...form.values()].filter((value) => typeof value !== 'string').length
  if (mayLosePartHeaders(bytes, fileCount)) return undefined
  return groupIfLossless(fields)
}

async function parseMultipart(bytes: Bytes, headers: Headers): Promise<FormData | undefined> {
  try {
    return await new Response(bytes, { headers: { 'Content-Type': headers.get('Content-Type') ?? '' } }).formData()
  } catch {
    return undefined
  }
}

/**
 * Whether the headers of the parts may contain something that the parsed form does not show: an encoded file name
 * (`filename*`), or a file name or type of a part that is not a file.
 */
function mayLosePartHeaders(bytes: Bytes, fileCount: number): boolean {
  const text = new TextDecoder('latin1').decode(bytes)
  const fileNameCount = text.match(/^content-disposition:.*;\s*filename\*?\s*=/gim)?.length ?? 0
  const typeCount = text.match(/^content-type:/gim)?.length ?? 0
  const hasEncodedFileName = /^content-disposition:.*;\s*filename\*/im.test(text)
  return hasEncodedFileName || fileNameCount !== fileCount || typeCount > fileCount
}

async function describeFile(file: File): Promise<JsonValue> {
  const digest = await sha256(await file.arrayBuffer())
  return { name: file.name, type: file.type, size: file.size, sha256: digest.toHex() }
}

/** The fields by name; undefined if one of them contains bytes that could not be decoded. */
function groupIfLossless(fields: readonly Field[]): JsonValue | undefined {
  const wasReplaced = (part: JsonValue) => typeof part === 'string' && part.includes(REPLACEMENT)
  return fields.some((field) => field.some(wasReplaced)) ? undefined : groupByName(fields)
}
