import * as z from 'zod'
import { ProblemError } from '../../domain/problems.ts'
import { requireType } from './content-type.ts'
import { type BodyReader, contentTooLarge } from './reader.ts'

/** The requirements of an upload. */
interface UploadRules {
  /** The name of the part with the file. */
  part: string
  /** The largest size of the file, in bytes. */
  maxBytes: number
}

const UPLOAD_TYPE = 'multipart/form-data'

// Allowance for boundaries, part headers and other fields.
const FORM_OVERHEAD_BYTES = 64 * 1024

/** A body that is a form (RFC 7578) with a file. Only the bytes of the file count, not its name or media type. */
export function upload({ part, maxBytes }: UploadRules): BodyReader<Uint8Array<ArrayBuffer>> {
  const schema = z.object({ [part]: z.string().meta({ format: 'binary', description: 'The file' }) })
  return {
    kind: 'upload',
    documented: { required: true, description: 'A form with the file', schema, mediaTypes: [UPLOAD_TYPE] },
    requireMediaType: (headers) => requireType(headers, UPLOAD_TYPE),
    maxBytes: maxBytes + FORM_OVERHEAD_BYTES,
    tooLarge: () => contentTooLarge('file', maxBytes),
    async read(bytes, { headers }) {
      const files = (await parseMultipart(bytes, headers)).getAll(part)
      const [file] = files
      if (files.length !== 1 || !(file instanceof File)) {
        // Images are the only files that can be uploaded.
        throw new ProblemError(
          'invalid-image',
          `The form must have exactly one file: a part with a filename, named "${part}".`,
        )
      }
      if (file.size > maxBytes) throw contentTooLarge('file', maxBytes)
      return new Uint8Array(await file.arrayBuffer())
    },
  }
}

/**
 * Parses a form with the parser of the platform.
 *
 * @throws ProblemError 400
 */
async function parseMultipart(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<FormData> {
  try {
    const contentType = headers.get('Content-Type') ?? ''
    return await new Response(bytes, { headers: { 'Content-Type': contentType } }).formData()
  } catch {
    throw new ProblemError('malformed-body', 'The body is not a complete multipart/form-data form.')
  }
}
