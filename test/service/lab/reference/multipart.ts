/** A part of `multipart`. */
export interface Part {
  /** Absent if it has a position instead. */
  name?: string
  filename?: string | undefined
  contentType?: string | undefined
  headers?: readonly (readonly [name: string, value: string])[]
  content: Uint8Array
}

/** It is in no file of the suite. Always the same, so that tests know what was sent. */
export const BOUNDARY = 'reference'
/** Of the parts of a part. */
export const INNER_BOUNDARY = 'inner'

/** RFC 7578. Quotes and line breaks in names are written as forms of HTML have them. */
export function writeMultipart(parts: readonly Part[], boundary = BOUNDARY): Uint8Array {
  const pieces = parts.flatMap(({ name, filename, contentType, headers = [], content }) => {
    const file = filename === undefined ? '' : `; filename="${quote(filename)}"`
    const type = contentType === undefined ? [] : [['Content-Type', contentType] as const]
    const disposition =
      name === undefined ? [] : [['Content-Disposition', `form-data; name="${quote(name)}"${file}`] as const]
    const head = [...disposition, ...type, ...headers].map(([field, value]) => `${field}: ${value}\r\n`).join('')
    return [Buffer.from(`--${boundary}\r\n${head}\r\n`), content, Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

const quote = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
