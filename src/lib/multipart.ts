/** A header field of a part. The name is in lower case, and the value is unfolded and trimmed. */
export type PartField = readonly [name: string, value: string]

/** Where the head of a part is, as offsets in the body. */
export interface PartHead {
  start: number
  /** The offset of the empty line after the fields, or of the delimiter if there is none. */
  end: number
}

/** Gets what a `MultipartReader` finds, in the order of the body. An error that it throws ends the reading. */
export interface PartReceiver {
  /** A part begins. @param contentAt The offset of its content */
  begin(fields: readonly PartField[], head: PartHead, contentAt: number): void
  /** Gets some of the content of the part. The bytes can change after the call. */
  take(content: Uint8Array): void
  /** The part is complete. @param contentEnd The offset of the delimiter after it */
  end(contentEnd: number): void
}

/** The error for a body that is not what RFC 2046 or RFC 7578 say. Its message says why, and follows a colon. */
export class MalformedMultipart extends Error {
  /** Where in the body; absent if the fault has no place in it. */
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }
}

/** Maximum size of the header fields of a part, and of the rest of the line of a delimiter, in bytes, by default. */
export const PART_HEAD_MAX_BYTES = 16 * 1024

// RFC 2046, section 5.1.1. Any visible character is accepted.
const BOUNDARY = /^[ -~]{0,69}[!-~]$/
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:([^\r\n\0]*)$/
const DECODER = new TextDecoder()
const [CR, LF, SPACE, TAB, DASH] = [13, 10, 32, 9, 45] as const
const CRLF = Uint8Array.of(CR, LF)

/**
 * Finds a delimiter, of which only the first byte is a carriage return. So a match can only begin at one, and every byte
 * is compared at most once: the search is linear, whatever the delimiter and the body are.
 */
class DelimiterSearch {
  readonly #delimiter: Uint8Array
  readonly #found: (delimiterCount: number, bytes: Uint8Array) => void
  #delimiterCount = 0
  /** How many bytes of a delimiter the end of what was written has. */
  #matched = 0

  /** @param found Gets the bytes between the delimiters, in pieces, and how many delimiters came before them */
  constructor(delimiter: Uint8Array, found: (delimiterCount: number, bytes: Uint8Array) => void) {
    this.#delimiter = delimiter.slice()
    this.#found = found
  }

  write(bytes: Uint8Array): void {
    let at = this.#goOn(bytes, 0)
    while (at < bytes.length) {
      const found = bytes.indexOf(CR, at)
      const start = found < 0 ? bytes.length : found
      this.#tell(bytes.subarray(at, start))
      at = this.#goOn(bytes, start)
    }
  }

  end(): void {
    this.#release()
  }

  /** Compares the bytes from an offset with what is missing of a delimiter. @returns The offset after what is equal */
  #goOn(bytes: Uint8Array, from: number): number {
    let at = from
    while (
      at < bytes.length &&
      this.#matched < this.#delimiter.length &&
      bytes[at] === this.#delimiter[this.#matched]
    ) {
      at++
      this.#matched++
    }
    if (this.#matched === this.#delimiter.length) {
      this.#matched = 0
      this.#delimiterCount++
    } else if (at < bytes.length) this.#release()
    return at
  }

  /** What looked like a delimiter is none. */
  #release(): void {
    const piece = this.#delimiter.subarray(0, this.#matched)
    this.#matched = 0
    this.#tell(piece)
  }

  #tell(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#found(this.#delimiterCount, bytes)
  }
}

/**
 * Reads a multipart body of any subtype (RFC 2046, section 5.1), in pieces of any size. It keeps no content: the
 * receiver gets it at once. The time is linear in the size of the body.
 *
 * It reads the lines of delimiters and the header fields of the parts: white space at the end of the line (transport
 * padding), folded fields, parts without fields, a preamble and an epilogue. A line that only begins like a delimiter is
 * content.
 */
export class MultipartReader {
  readonly #receiver: PartReceiver
  readonly #search: DelimiterSearch
  readonly #headMaxBytes: number
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
  readonly #head: Uint8Array
  #headBytes = 0
  #headAt = 0
  /** The number of bytes before those that are read now, without the delimiters and with the line end before the first. */
  #otherBytes = 0
  /** The offset in the body of the latest delimiter, and of the byte that is read next. */
  #delimiterAt = 0
  #at = 0

  /**
   * @param headMaxBytes Maximum size of the header fields of a part with the empty line after them, and of the rest of
   * the line of a delimiter
   * @throws MalformedMultipart if RFC 2046 does not allow the boundary
   */
  constructor(boundary: string, receiver: PartReceiver, headMaxBytes = PART_HEAD_MAX_BYTES) {
    if (!BOUNDARY.test(boundary)) {
      throw new MalformedMultipart('its Content-Type must name a boundary of 1 to 70 characters')
    }
    const delimiter = `\r\n--${boundary}`
    this.#receiver = receiver
    this.#headMaxBytes = headMaxBytes
    this.#head = new Uint8Array(headMaxBytes)
    this.#line = new Uint8Array(delimiter.length + headMaxBytes)
    this.#delimiterBytes = new TextEncoder().encodeInto(delimiter, this.#line).written
    this.#search = new DelimiterSearch(this.#line.subarray(0, this.#delimiterBytes), (delimiterCount, bytes) =>
      this.#read(delimiterCount, bytes),
    )
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
   * @returns The offset of the last delimiter
   * @throws MalformedMultipart if its last delimiter is missing, or what the receiver throws
   */
  end(): number {
    this.#search.end()
    if (this.#section !== 'epilogue') throw new MalformedMultipart('its last delimiter is missing')
    return this.#delimiterAt
  }

  /** @param delimiterCount How many delimiters were found before these bytes */
  #read(delimiterCount: number, bytes: Uint8Array): void {
    for (; this.#delimiterCount < delimiterCount; this.#delimiterCount++) this.#beginDelimiter()
    const start = this.#offsetAfter(delimiterCount)
    let position = 0
    while (this.#isInDelimiter && position < bytes.length) {
      this.#at = start + position + 1
      this.#readDelimiter(bytes[position++] ?? 0)
    }
    this.#readOther(bytes, start, position)
    this.#otherBytes += bytes.length
  }

  #offsetAfter(delimiterCount: number): number {
    return this.#otherBytes + delimiterCount * this.#delimiterBytes - CRLF.length
  }

  #beginDelimiter(): void {
    if (this.#section === 'epilogue') return
    if (this.#isInDelimiter) this.#resume()
    this.#isInDelimiter = true
    this.#lineBytes = this.#delimiterBytes
    this.#delimiterAt = this.#offsetAfter(this.#delimiterCount)
  }

  /** Reads the next byte after a boundary: of `--` if it is the last one, or of white space and a line end. */
  #readDelimiter(byte: number): void {
    if (this.#lineBytes === this.#line.length) throw tooMuchBeforeContent(this.#headMaxBytes, this.#delimiterAt)
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
    if (this.#section === 'head') this.#beginPart(this.#delimiterAt, this.#delimiterAt)
    if (this.#section === 'content') this.#receiver.end(this.#delimiterAt)
    this.#isInDelimiter = false
    this.#section = next
    this.#headBytes = 0
    this.#headAt = this.#at
  }

  /** Goes on after a line that only begins like a delimiter. */
  #resume(): void {
    this.#isInDelimiter = false
    this.#readOther(this.#line.subarray(0, this.#lineBytes), this.#delimiterAt)
  }

  /** Reads bytes that are not part of a delimiter. @param offset That of the first of them in the body */
  #readOther(bytes: Uint8Array, offset: number, start = 0): void {
    let position = start
    while (this.#section === 'head' && position < bytes.length) {
      this.#at = offset + position + 1
      this.#readHead(bytes[position++] ?? 0)
    }
    if (this.#section === 'content' && position < bytes.length) this.#receiver.take(bytes.subarray(position))
  }

  /** Reads the next byte of the header fields. They end with an empty line, which also comes if there are none. */
  #readHead(byte: number): void {
    if (this.#headBytes === this.#headMaxBytes) throw tooMuchBeforeContent(this.#headMaxBytes, this.#headAt)
    this.#head[this.#headBytes++] = byte
    const end = this.#headBytes
    if (this.#isLineEnd(end - 2) && (end === 2 || this.#isLineEnd(end - 4)))
      this.#beginPart(this.#at - CRLF.length, this.#at)
  }

  #isLineEnd(at: number): boolean {
    return this.#head[at] === CR && this.#head[at + 1] === LF
  }

  /** @param end The offset of the end of its fields @param contentAt That of its content */
  #beginPart(end: number, contentAt: number): void {
    this.#section = 'content'
    const start = Math.min(this.#headAt, end)
    this.#receiver.begin(readFields(this.#head.subarray(0, this.#headBytes), start), { start, end }, contentAt)
  }
}

function tooMuchBeforeContent(maxBytes: number, at: number): MalformedMultipart {
  return new MalformedMultipart(`a part has more than ${maxBytes} bytes before its content`, at)
}

/**
 * Reads header fields (RFC 2046, section 5.1; RFC 5322, section 2.2). As in RFC 6532, they are in UTF-8; U+FFFD stands
 * for what is not.
 *
 * @throws MalformedMultipart
 */
function readFields(bytes: Uint8Array, start: number): PartField[] {
  const unfolded = DECODER.decode(bytes).replaceAll(/\r\n(?=[ \t])/g, '')
  const lines = unfolded.split('\r\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw new MalformedMultipart('a part has an invalid header field', start)
    return [name.toLowerCase(), value.trim()]
  })
}
