import { bytesOf, makePicture, PICTURE_TYPES } from './pictures.ts'

// Bodies of multipart/mixed.

export interface Part {
  /** The lines of its head, without their ends. */
  head: readonly string[]
  content: string | Uint8Array
}

export const META = { observer: 'Galileo Observatory' }

/** The part with the metadata: a value, or a text that is sent as it is. */
export function metaPart(meta: unknown = META): Part {
  return { head: ['Content-Type: application/json'], content: typeof meta === 'string' ? meta : JSON.stringify(meta) }
}

/** An image, as its type says unless there is another content. */
export function imagePart(type = 'image/png', content?: Uint8Array): Part {
  const known = PICTURE_TYPES.find((one) => one === type)
  return { head: [`Content-Type: ${type}`], content: content ?? makePicture(known) }
}

/** Metadata, and that many images. */
export function batchOf(images: number, meta: object = META): Part[] {
  return [metaPart(meta), ...Array.from({ length: images }, () => imagePart())]
}

export function joinBytes(pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
  const whole = new Uint8Array(bytes.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let length = 0
  for (const piece of bytes) {
    whole.set(piece, length)
    length += piece.byteLength
  }
  return whole
}

export function writeMixed(parts: readonly Part[], boundary = 'b'): Uint8Array<ArrayBuffer> {
  const written = parts.flatMap(({ head, content }) => [
    `--${boundary}\r\n`,
    ...head.map((line) => bytesOf(`${line}\r\n`)),
    '\r\n',
    content,
    '\r\n',
  ])
  return joinBytes([...written, `--${boundary}--\r\n`])
}

export const MIXED = { 'Content-Type': 'multipart/mixed; boundary=b' }
