// Readers of sequential media types (OpenAPI 3.2.0). Each gets the bytes of a response in pieces, which may be cut anywhere.

type Pieces = AsyncIterable<Uint8Array>

/** Splits a text in UTF-8. What comes behind the last separator is the last text, if it is not empty. */
async function* split(pieces: Pieces, separator: RegExp): AsyncGenerator<{ text: string; isLast: boolean }> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    rest += decoder.decode(piece, { stream: true })
    for (let found = separator.exec(rest); found; found = separator.exec(rest)) {
      yield { text: rest.slice(0, found.index), isLast: false }
      rest = rest.slice(found.index + found[0].length)
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield { text: rest, isLast: true }
}

/** The lines of a text, of which the last may have no end. */
export async function readLines(pieces: Pieces, end: RegExp, keepsRest: boolean): Promise<string[]> {
  const lines = await Array.fromAsync(split(pieces, end))
  return lines.filter(({ text, isLast }) => text.trim() !== '' && (keepsRest || !isLast)).map(({ text }) => text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one
const RECORD_SEPARATOR = /\x1e/

/** JSON texts, each after a record separator (RFC 7464). */
export async function readSequence(pieces: Pieces): Promise<string[]> {
  const texts = await Array.fromAsync(split(pieces, RECORD_SEPARATOR))
  return texts.map(({ text }) => text).filter((text) => text.trim() !== '')
}

/** A server-sent event, with the fields that its own block has. */
export interface StreamEvent {
  id?: string
  event?: string
  retry?: string
  data: string
}

/** What a client makes of a block. */
export interface EventHabits {
  /** The data of a block, from its lines. */
  dataOf(lines: readonly string[]): readonly string[]
  fromComment(text: string): StreamEvent | undefined
}

/** Server-sent events (HTML Standard, "Interpreting an event stream"). A block without data is none. */
export async function readEvents(pieces: Pieces, { dataOf, fromComment }: EventHabits): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  let fields: Omit<StreamEvent, 'data'> = {}
  let data: string[] = []
  // After a carriage return at the end of a piece, a line feed may come.
  for await (const { text: line } of split(pieces, /\r\n|\n|\r(?!$)/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (line === '') {
      if (data.length > 0) events.push(...dataOf(data).map((one) => ({ ...fields, data: one })))
      fields = {}
      data = []
    } else if (name === '') {
      const event = fromComment(value)
      if (event) events.push(event)
    } else if (name === 'data') data.push(value)
    else if (name === 'id' || name === 'event' || name === 'retry') fields = { ...fields, [name]: value }
  }
  return events
}

/** The contents of parts (RFC 2046, 5.1), without preamble and epilogue. */
export async function readParts(pieces: Pieces, boundary: string): Promise<string[]> {
  const bytes = Buffer.concat(await Array.fromAsync(pieces)).toString('latin1')
  const escaped = boundary.replaceAll(/[^\w]/g, '\\$&')
  const [body = ''] = `\r\n${bytes}`.split(new RegExp(`\\r\\n--${escaped}--`))
  const [, ...parts] = body.split(new RegExp(`\\r\\n--${escaped}[ \\t]*(?=\\r\\n)`))
  return parts.map((part) => Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4), 'latin1').toString())
}
