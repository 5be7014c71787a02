import { showBytes, showMultipart } from '../bench/request.ts'
import type { Body, CaseSchema, Encoding, PositionalEncoding, Value } from '../suite/declare.ts'
import { type FileValue, fileOf, isList, isObject, itemSchema, plain, plainText } from './values.ts'

// The parts that we would send, and how they are written (RFC 2046, 5.1; RFC 7578).

export interface Part {
  /** Absent if it has a position instead. */
  name?: string
  /** A text, its bytes, or its own parts. */
  content: string | FileValue | readonly Part[]
  /** Absent if the part needs none. */
  type?: string
  headers: Readonly<Record<string, string>>
}

/** The parts of a body: of `multipart/form-data` one for each member, or for each item of a list. */
export function partsOf({ mediaType, schema, input, encoding = {}, ...positions }: Body): Part[] {
  if (mediaType !== 'multipart/form-data') return isList(input) ? itemsOf(schema, input, positions) : []
  return Object.entries(isObject(input) ? input : {}).flatMap(([name, value]) =>
    (isList(value) ? value : [value]).map((item) => partOf(name, item, schema.properties?.[name], encoding[name])),
  )
}

function partOf(
  name: string,
  item: Value,
  schema: CaseSchema = {},
  { contentType, headers = {} }: Encoding = {},
): Part {
  const own = Object.fromEntries(Object.entries(headers).map(([header, { input }]) => [header, input]))
  const file = fileOf(item)
  if (file) return { name, content: file, type: file.type, headers: own }
  const isJson = contentType !== undefined || isObject(item)
  const content = isJson ? JSON.stringify(plain(item, schema)) : plainText(item, schema.items ?? schema)
  return { name, content, ...(isJson && { type: 'application/json' }), headers: own }
}

function itemsOf(
  schema: CaseSchema,
  values: readonly Value[],
  { prefixEncoding = [], itemEncoding = {} }: Pick<Body, 'prefixEncoding' | 'itemEncoding'>,
): Part[] {
  return values.map((value, index) =>
    itemOf(itemSchema(schema, index) ?? {}, value, prefixEncoding[index] ?? itemEncoding),
  )
}

function itemOf(schema: CaseSchema, value: Value, { contentType, ...positions }: PositionalEncoding): Part {
  const isJson = contentType === undefined && typeof value === 'object'
  const type = isJson ? 'application/json' : contentType
  const named = { ...(type !== undefined && { type }), headers: {} }
  if (contentType?.startsWith('multipart/') && isList(value))
    return { ...named, content: itemsOf(schema, value, positions) }
  return { ...named, content: isJson ? JSON.stringify(plain(value, schema)) : plainText(value, schema) }
}

/** The file that a part is; undefined if it is none. */
export function fileIn({ content }: Part): FileValue | undefined {
  return typeof content === 'object' && 'bytes' in content ? content : undefined
}

/**
 * Writes parts as text, in which `\xNN` is a byte, and the end of a line is CRLF.
 *
 * @param boundaries That of these parts, then that of the parts of a part
 */
export function writeMultipart(parts: readonly Part[], [boundary = '', ...inner]: readonly string[]): string {
  const written = parts.map((part) => {
    const { name, content, type, headers } = part
    const file = fileIn(part)
    const own = typeof content === 'object' && !('bytes' in content) ? content : undefined
    const lines = [
      ...(name === undefined
        ? []
        : [`Content-Disposition: form-data; name="${name}"${file ? `; filename="${file.name}"` : ''}`]),
      ...(type === undefined ? [] : [`Content-Type: ${type}${own ? `; boundary=${inner[0]}` : ''}`]),
      ...Object.entries(headers).map((header) => header.join(': ')),
    ]
    const shown = file
      ? showMultipart(Uint8Array.from(atob(file.bytes), (one) => one.charCodeAt(0)))
      : own
        ? writeMultipart(own, inner).replace(/\n$/, '')
        : showBytes(new TextEncoder().encode(String(content)))
    return `--${boundary}\n${lines.map((line) => `${line}\n`).join('')}\n${shown}\n`
  })
  return `${written.join('')}--${boundary}--\n`
}
