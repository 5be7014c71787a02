import * as Search from 'multipasta/Search'

/** A header field of a part. The name is in lower case, and the value is unfolded and trimmed. */
export type PartField = readonly [name: string, value: string]

/** Gets what a `MultipartReader` finds, in the order of the body. An error that it throws ends the reading. */
export interface PartReceiver {
  /** A part begins. */
  begin(fields: readonly PartField[]): void
  /** Gets some of the content of the part. The bytes can change after the call. */
  take(content: Uint8Array): void
  /** The part is complete. */
  end(): void
}

/** The error for a body that is not what RFC 2046 or RFC 7578 say. Its message says why, and follows a colon. */
export class MalformedMultipart extends Error {}

/** Maximum size of the header fields of a part, and of the rest of the line of a delimiter, in bytes. */
export const PART_HEAD_MAX_BYTES = 16 * 1024

// RFC 2046, section 5.1.1. Any visible character is accepted. The time of the search grows with the length.
const BOUNDARY = /^[ -~]{0,69}[!-~]$/
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:([^\r\n\0]*)$/
const DECODER = new TextDecoder()
const [CR, LF, SPACE, TAB, DASH] = [13, 10, 32, 9, 45] as const
const CRLF = Uint8Array.of(CR, LF)

/**
 * Reads a multipart body of any subtype (RFC 2046, section 5.1), in pieces of any size. It keeps no content: the
 * receiver gets it at once. The time is linear in the size of the body.
 *
 * `multipasta` finds the delimiters. This class reads their lines and the header fields of the parts: white space at
 * the end of the line (transport padding), folded fields, parts without fields, a preamble and an epilogue. A line that
 * only begins like a delimiter is content.
 */
export class MultipartReader {
  readonly #receiver: PartReceiver
  readonly #search: ReturnType<typeof Search.make>
  #delimiterCount = 0
  /**
   * Where the reading is, or was before the latest delimiter. It goes on there if the line is no delimiter after all.
   */
  #section: 'preamble' | 'head' | 'content' | 'epilogue' = 'preamble'
  /** Whether the line of a delimiter has begun but not ended. */
  #isInDelimiter = false
  /** The delimiter, and then what has arrived of the rest of its line. */
  readonly #line: Uint8Array
  readonly #delimiterBytes: number
  #lineBytes = 0
  /** What has arrived of the header fields of a part. */
  readonly #head = new Uint8Array(PART_HEAD_MAX_BYTES)
  #headBytes = 0

  /** @throws MalformedMultipart if RFC 2046 does not allow the boundary */
  constructor(boundary: string, receiver: PartReceiver) {
    if (!BOUNDARY.test(boundary)) {
      throw new MalformedMultipart('its Content-Type must name a boundary of 1 to 70 characters')
    }
    const delimiter = `\r\n--${boundary}`
    this.#receiver = receiver
    this.#line = new Uint8Array(delimiter.length + PART_HEAD_MAX_BYTES)
    this.#delimiterBytes = new TextEncoder().encodeInto(delimiter, this.#line).written
    this.#search = Search.make(delimiter, (delimiterCount, bytes) => this.#read(delimiterCount, bytes))
    // The first delimiter can be at the very beginning.
    this.#search.write(CRLF)
  }

  /** @throws MalformedMultipart, or what the receiver throws. After that, the reader cannot be used any more */
  write(bytes: Uint8Array): void {
    if (this.#section !== 'epilogue') this.#search.write(bytes)
  }

  /**
   * Says that the body is complete.
   *
   * @throws MalformedMultipart if its last delimiter is missing, or what the receiver throws
   */
  end(): void {
    this.#search.end()
    if (this.#section !== 'epilogue') throw new MalformedMultipart('its last delimiter is missing')
  }

  /** @param delimiterCount How many delimiters were found before these bytes */
  #read(delimiterCount: number, bytes: Uint8Array): void {
    for (; this.#delimiterCount < delimiterCount; this.#delimiterCount++) this.#beginDelimiter()
    let position = 0
    while (this.#isInDelimiter && position < bytes.length) this.#readDelimiter(bytes[position++] ?? 0)
    this.#readOther(bytes, position)
  }

  #beginDelimiter(): void {
    if (this.#section === 'epilogue') return
    if (this.#isInDelimiter) this.#resume()
    this.#isInDelimiter = true
    this.#lineBytes = this.#delimiterBytes
  }

  /** Reads the next byte after a boundary: of `--` if it is the last one, or of white space and a line end. */
  #readDelimiter(byte: number): void {
    if (this.#lineBytes === this.#line.length) throw tooMuchBeforeContent()
    const isFirst = this.#lineBytes === this.#delimiterBytes
    const previous = isFirst ? SPACE : this.#line[this.#lineBytes - 1]
    this.#line[this.#lineBytes++] = byte
    const isInSpace = previous === SPACE || previous === TAB
    if (previous === CR && byte === LF) this.#endDelimiter('head')
    else if (previous === DASH && byte === DASH) this.#endDelimiter('epilogue')
    else if (!isInSpace || !(byte === SPACE || byte === TAB || byte === CR || (isFirst && byte === DASH)))
      this.#resume()
  }

  #endDelimiter(next: 'head' | 'epilogue'): void {
    // The line end before a delimiter belongs to it. So a part without content needs no empty line after its fields.
    if (this.#section === 'head') this.#beginPart()
    if (this.#section === 'content') this.#receiver.end()
    this.#isInDelimiter = false
    this.#section = next
    this.#headBytes = 0
  }

  /** Goes on after a line that only begins like a delimiter. */
  #resume(): void {
    this.#isInDelimiter = false
    this.#readOther(this.#line.subarray(0, this.#lineBytes))
  }

  /** Reads bytes that are not part of a delimiter. */
  #readOther(bytes: Uint8Array, start = 0): void {
    let position = start
    while (this.#section === 'head' && position < bytes.length) this.#readHead(bytes[position++] ?? 0)
    if (this.#section === 'content' && position < bytes.length) this.#receiver.take(bytes.subarray(position))
  }

  /** Reads the next byte of the header fields. They end with an empty line, which also comes if there are none. */
  #readHead(byte: number): void {
    if (this.#headBytes === PART_HEAD_MAX_BYTES) throw tooMuchBeforeContent()
    this.#head[this.#headBytes++] = byte
    const end = this.#headBytes
    if (this.#isLineEnd(end - 2) && (end === 2 || this.#isLineEnd(end - 4))) this.#beginPart()
  }

  #isLineEnd(at: number): boolean {
    return this.#head[at] === CR && this.#head[at + 1] === LF
  }

  #beginPart(): void {
    this.#section = 'content'
    this.#receiver.begin(readFields(this.#head.subarray(0, this.#headBytes)))
  }
}

function tooMuchBeforeContent(): MalformedMultipart {
  return new MalformedMultipart(`a part has more than ${PART_HEAD_MAX_BYTES} bytes before its content`)
}

/**
 * Reads header fields (RFC 2046, section 5.1; RFC 5322, section 2.2). As in RFC 6532, they are in UTF-8; U+FFFD stands
 * for what is not.
 *
 * @throws MalformedMultipart
 */
function readFields(bytes: Uint8Array): PartField[] {
  const unfolded = DECODER.decode(bytes).replaceAll(/\r\n(?=[ \t])/g, '')
  const lines = unfolded.split('\r\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined) throw new MalformedMultipart('a part has an invalid header field')
    return [name.toLowerCase(), value.trim()]
  })
}
