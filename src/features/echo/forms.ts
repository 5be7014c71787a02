import { type FormPart, readFormParts } from '../../http/body/form-parts.ts'
import type { Bytes } from '../../lib/bytes.ts'
import type { JsonValue } from '../../lib/json.ts'
import { MalformedMultipart } from '../../lib/multipart.ts'
import { sha256 } from '../../lib/sha256.ts'
import { groupByName } from './group.ts'

type Field = [name: string, value: JsonValue]

/** Maximum number of fields that are shown one by one, because each takes many times the memory of its text. */
const FIELDS_MAX = 20_000

/** The character that a decoder inserts in place of bytes that it cannot decode. */
const REPLACEMENT = '\uFFFD'

/** @returns Undefined if the fields would not contain everything that was sent */
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
export async function readMultipart(bytes: Bytes, contentType: string): Promise<JsonValue | undefined> {
  const parts = readParts(bytes, contentType)
  if (!parts?.every(isShownInFull)) return undefined
  const fields: Field[] = []
  for (const part of parts) fields.push([part.name, await describePart(part)])
  return groupIfLossless(fields)
}

/** The parts of a form; undefined if it is not complete, or has too many. */
function readParts(bytes: Bytes, contentType: string): FormPart[] | undefined {
  const parts: FormPart[] = []
  try {
    readFormParts(bytes, contentType, (part) => {
      if (parts.push(part) > FIELDS_MAX) throw new MalformedMultipart('it has too many parts')
    })
    return parts
  } catch (error) {
    if (error instanceof MalformedMultipart) return undefined
    throw error
  }
}

/** Whether what the echo shows of a part says all that the part says. The name and a text are checked when grouped. */
function isShownInFull(part: FormPart): boolean {
  return part.filename === undefined ? isPlainText(part) : !`${part.filename}${part.type}`.includes(REPLACEMENT)
}

/** Whether the type of a field says no more than that it is a text: it has none, or the one that some clients add. */
function isPlainText({ type }: FormPart): boolean {
  return /^(?:text\/plain(?:\s*;\s*charset\s*=\s*"?(?:utf-?8|us-ascii)"?)?)?$/i.test(type)
}

async function describePart({ filename, type, content }: FormPart): Promise<JsonValue> {
  // A byte-order mark is kept.
  if (filename === undefined) return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(content)
  return { name: filename, type, size: content.byteLength, sha256: (await sha256(content)).toHex() }
}

/** The fields by name; undefined if one of them contains bytes that could not be decoded. */
function groupIfLossless(fields: readonly Field[]): JsonValue | undefined {
  const wasReplaced = (part: JsonValue) => typeof part === 'string' && part.includes(REPLACEMENT)
  return fields.some((field) => field.some(wasReplaced)) ? undefined : groupByName(fields)
}
