/** Registry: the supported image types, and the bytes that identify each (from the specifications of the formats). */
const KINDS = [
  {
    mimeType: 'image/png',
    extension: 'png',
    // The name of the first chunk, IHDR, follows the 8 bytes of the signature and the 4 bytes of the chunk's length.
    matches: (bytes: Bytes) => startsWith(bytes, 0, '\x89PNG\r\n\x1A\n') && startsWith(bytes, 12, 'IHDR'),
  },
  { mimeType: 'image/jpeg', extension: 'jpg', matches: (bytes: Bytes) => startsWith(bytes, 0, '\xFF\xD8\xFF') },
  {
    mimeType: 'image/gif',
    extension: 'gif',
    matches: (bytes: Bytes) => startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a'),
  },
  {
    mimeType: 'image/webp',
    extension: 'webp',
    matches: (bytes: Bytes) => startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBPVP8'),
  },
  {
    mimeType: 'image/avif',
    extension: 'avif',
    // The brand is `avif` for a still image, and `avis` for an animated one.
    matches: (bytes: Bytes) =>
      startsWith(bytes, 4, 'ftyp') && readBrands(bytes).some((brand) => /^avi[fs]$/.test(brand)),
  },
] as const

type Bytes = Uint8Array

interface ImageKind {
  mimeType: string
  extension: string
}

export const EXTENSIONS: readonly string[] = KINDS.map(({ extension }) => extension)

/** The media types of the supported images. */
export const MIME_TYPES: readonly string[] = KINDS.map(({ mimeType }) => mimeType)

/** How many bytes at the beginning of an image are enough to detect its type. */
export const SNIFFED_BYTES = 256

/** Detects the type of an image from its first bytes; undefined if the type is not supported. */
export function sniffImage(bytes: Bytes): ImageKind | undefined {
  return KINDS.find(({ matches }) => matches(bytes))
}

/**
 * The major and the compatible brands, which are in the first box of a file (ISO/IEC 14496-12, section 4.3). The second
 * of the returned texts is not a brand: it is the minor version.
 */
function readBrands(bytes: Bytes): string[] {
  const boxSize = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  // The first 8 bytes are the size and the type of the box. The brands of an image are near its beginning.
  const box = String.fromCharCode(...bytes.subarray(8, Math.min(boxSize, SNIFFED_BYTES)))
  return box.match(FOUR_CHARACTERS) ?? []
}

/** The length of each brand. */
const FOUR_CHARACTERS = /.{4}/gs

/** Whether bytes contain a signature at an offset. Each character of the signature stands for one byte. */
function startsWith(bytes: Bytes, offset: number, signature: string): boolean {
  return [...signature].every((character, index) => bytes[offset + index] === character.charCodeAt(0))
}
