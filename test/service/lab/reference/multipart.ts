/** A part of `multipart/form-data`. */
export interface Part {
  name: string
  filename?: string | undefined
  contentType?: string | undefined
  headers?: readonly (readonly [name: string, value: string])[]
  content: Uint8Array
}

/** It is in no file of the suite. Always the same, so that tests know what was sent. */
export const BOUNDARY = 'reference'

/** RFC 7578. Quotes and line breaks in names are written as forms of HTML have them. */
export function writeMultipart(parts: readonly Part[]): Uint8Array {
  const pieces = parts.flatMap(({ name, filename, contentType, headers = [], content }) => {
    const file = filename === undefined ? '' : `; filename="${quote(filename)}"`
    const type = contentType === undefined ? [] : [['Content-Type', contentType] as const]
    const head = [['Content-Disposition', `form-data; name="${quote(name)}"${file}`] as const, ...type, ...headers]
      .map(([field, value]) => `${field}: ${value}\r\n`)
      .join('')
    return [Buffer.from(`--${BOUNDARY}\r\n${head}\r\n`), content, Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

const quote = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
