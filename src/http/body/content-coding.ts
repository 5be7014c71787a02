import { ProblemError } from '../../domain/problems.ts'
import {
  type Coding,
  DecodesToTooMuch,
  decodeBytes,
  decodeStream,
  NotDecodable,
  RATIO_MAX,
  soleCodingOf,
} from '../../lib/content-coding.ts'
import { readWhole } from '../../lib/read-stream.ts'
import { unsupported } from './content-type.ts'

/**
 * The coding of a body; undefined if it has none.
 *
 * @throws ProblemError 415, which names the codings in `Accept-Encoding` (RFC 7694, section 3)
 */
export function codingOfBody(headers: Headers): Coding | undefined {
  const sent = headers.get('Content-Encoding')
  const coding = soleCodingOf(sent)
  if (coding === 'none') return undefined
  if (coding !== 'unknown') return coding
  throw unsupported('content coding', sent ?? '', {
    text: 'Send the body with gzip or deflate, or uncompressed.',
    headers: { 'Accept-Encoding': 'gzip, deflate' },
  })
}

/**
 * Reads and decodes a whole body.
 *
 * @param tooLarge Creates the error for encoded bytes that are more than `maxBytes`
 * @throws ProblemError 400, 413
 */
export async function readDecoded(
  body: ReadableStream<Uint8Array> | null,
  coding: Coding,
  maxBytes: number,
  tooLarge: () => ProblemError,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoded = await readWhole(body, maxBytes)
  if (!encoded) throw tooLarge()
  try {
    return decodeBytes(encoded, coding, maxBytes)
  } catch (error) {
    throw explainDecoding(error, coding, maxBytes)
  }
}

/**
 * A body that is decoded while it arrives; as it is if it has no coding.
 *
 * @throws ProblemError 400, 413
 */
export async function* streamDecoded(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const coding = codingOfBody(headers)
  if (!coding) return yield* body
  try {
    yield* decodeStream(body, coding, maxBytes, Number(headers.get('Content-Length') ?? 0))
  } catch (error) {
    throw explainDecoding(error, coding, maxBytes)
  }
}

function explainDecoding(error: unknown, coding: Coding, maxBytes: number): unknown {
  if (error instanceof DecodesToTooMuch) return decodedTooLarge(maxBytes)
  if (!(error instanceof NotDecodable)) return error
  return new ProblemError(
    'malformed-body',
    `The body is not what its Content-Encoding ${coding} says: ${error.message}.`,
  )
}

/** The error for a body of which more would be decoded than may be. */
export function decodedTooLarge(maxBytes: number): ProblemError {
  const detail = `A compressed body can have at most ${maxBytes} bytes, before and after it is decoded, and decode to at most ${RATIO_MAX} times its bytes.`
  return new ProblemError('content-too-large', detail)
}
