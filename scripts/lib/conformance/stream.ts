import type { Members } from './answer.ts'
import type { Client } from './client.ts'
import { Failure, NoAnswer } from './failure.ts'
import { rootCauseOf } from './root-cause.ts'
import { until } from './until.ts'

/** How long an item may take after its cause. */
const ITEM_TIMEOUT_MS = 15_000
/** How much of the end of a stream a report shows, in characters. */
const SHOWN_MAX = 300
/** Each item of a JSON text sequence begins with this character (RFC 7464). */
const RECORD_SEPARATOR = '\u001e'
/** Several in a row begin one item (RFC 7464, section 2.1). */
const SEPARATORS = new RegExp(`^${RECORD_SEPARATOR}+`)

/** The formats of streams, and how to find the items in the text that has arrived so far. */
const READERS = {
  'text/event-stream': (text: string) => wholeLines(text).flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []),
  'application/jsonl': wholeLines,
  'application/x-ndjson': wholeLines,
  'application/json-seq': (text: string) =>
    wholeLines(text).flatMap((line) => (line.startsWith(RECORD_SEPARATOR) ? line.replace(SEPARATORS, '') : [])),
}

export type StreamType = keyof typeof READERS

/** A stream over HTTP that is read as it arrives. */
export interface Stream {
  /** Waits for an item. @throws Failure if no such item arrives */
  expectItem(what: string, isMeant: (item: Members) => boolean): Promise<Members>
  close(): void
}

/**
 * Opens a stream.
 *
 * @throws Failure if it is refused, or has another format
 */
export async function openStream(
  client: Client,
  path: string,
  type: StreamType,
  headers: Record<string, string> = {},
): Promise<Stream> {
  const url = client.resolve(path)
  const request = `GET ${url}\n  Accept: ${type}`
  const ended = new AbortController()
  const response = await openResponse(client, url, { Accept: type, ...headers }, ended)
  const actual = `${response.status} ${response.headers.get('Content-Type')}`
  if (!actual.startsWith(`200 ${type}`)) throw new Failure(`200 ${type}`, actual, request)
  const readReceived = readInBackground(response)
  return {
    async expectItem(what, isMeant) {
      const find = async () => READERS[type](readReceived()).map(parseItem).find(isMeant)
      const found = await until(find, ITEM_TIMEOUT_MS)
      if (found !== undefined) return found
      const received = readReceived()
      throw new Failure(what, `${received.length} characters without it: ${received.slice(-SHOWN_MAX)}`, request)
    },
    close: () => ended.abort(),
  }
}

async function openResponse(client: Client, url: string, headers: Record<string, string>, ended: AbortController) {
  const signal = AbortSignal.any([client.signal, ended.signal])
  // Only the status and the headers have a time limit, because the body has no end.
  const limit = setTimeout(() => ended.abort(), client.timeoutMs)
  try {
    return await fetch(url, { headers, signal, redirect: 'manual' })
  } catch (error) {
    throw new NoAnswer('a stream', rootCauseOf(error).message, `GET ${url}`)
  } finally {
    clearTimeout(limit)
  }
}

/** Reads a response to its end. @returns A function that returns the text that has arrived so far */
function readInBackground(response: Response): () => string {
  let received = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true })
  }
  // If the stream breaks off, the item that a check waits for is missing.
  read().catch(() => {})
  return () => received
}

/** The complete lines of a text. The rest of the last line has not arrived yet. */
function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1)
}

function parseItem(text: string): Members {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('an item in JSON', text)
  }
}
