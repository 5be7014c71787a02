/** The first bytes of a real file of each accepted type, padded to a size. */
const SIGNATURES = {
  'image/png': '\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0',
  'image/jpeg': '\xFF\xD8\xFF\xE0\0\x10JFIF\0',
  'image/gif': 'GIF89a\x01\0\x01\0',
  'image/webp': 'RIFF\x24\0\0\0WEBPVP8 ',
  'image/avif': '\0\0\0\x1CftypavifMIAF',
}

export type PictureType = keyof typeof SIGNATURES
export const PICTURE_TYPES = Object.keys(SIGNATURES) as PictureType[]

/** An image of an exact number of bytes, recognizable by its first bytes. */
export function makePicture(type: PictureType = 'image/png', size = 100): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size).fill(0x20)
  bytes.set(bytesOf(SIGNATURES[type]))
  return bytes
}

/** The bytes of a text of characters up to U+00FF. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
