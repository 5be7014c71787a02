import * as z from 'zod'
import { doc } from '#doc'
import { ProblemError } from '../../domain/problems.ts'
import type { Bytes } from '../../lib/bytes.ts'
import { MalformedMultipart } from '../../lib/multipart.ts'
import { requireType } from './content-type.ts'
import { type FormPart, MULTIPART_FORM_TYPE, readFormParts } from './form-parts.ts'
import { type BodyReader, contentTooLarge } from './reader.ts'

interface UploadRules {
  /** The name of the part with the file. */
  part: string
  maxBytes: number
}

// Allowance for boundaries, part headers and other fields.
const FORM_OVERHEAD_BYTES = 64 * 1024

/** A body that is a form (RFC 7578) with a file. Only the bytes of the file count, not its name or media type. */
export function upload({ part, maxBytes }: UploadRules): BodyReader<Bytes> {
  const schema = z
    .object({ [part]: z.string().meta({ format: 'binary', description: doc('The file') }) })
    .meta({ id: 'ImageUploadForm', description: doc('A form with an image') })
  return {
    kind: 'upload',
    documented: { required: true, description: doc('A form with the file'), schema, mediaTypes: [MULTIPART_FORM_TYPE] },
    requireMediaType: (headers) => requireType(headers, MULTIPART_FORM_TYPE),
    maxBytes: maxBytes + FORM_OVERHEAD_BYTES,
    tooLarge: () => contentTooLarge('file', maxBytes),
    async read(bytes, { headers }) {
      const file = readFile(bytes, headers, part)
      if (file.byteLength > maxBytes) throw contentTooLarge('file', maxBytes)
      return file
    },
  }
}

/**
 * @param name The name of its part
 * @throws ProblemError 400
 */
function readFile(bytes: Bytes, headers: Headers, name: string): Bytes {
  const found: FormPart[] = []
  try {
    readFormParts(bytes, headers.get('Content-Type') ?? '', (part) => {
      // Two are enough to see that there is more than one.
      if (part.name === name && found.length < 2) found.push(part)
    })
  } catch (error) {
    if (!(error instanceof MalformedMultipart)) throw error
    throw new ProblemError(
      'malformed-body',
      `The body is not a complete ${MULTIPART_FORM_TYPE} form: ${error.message}.`,
    )
  }
  const [file] = found
  if (file?.filename === undefined || found.length > 1) {
    // Images are the only files that can be uploaded.
    throw new ProblemError(
      'invalid-image',
      `The form must have exactly one file: a part with a filename, named "${name}".`,
    )
  }
  return file.content
}
