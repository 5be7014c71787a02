import type { Members } from './answer.ts'
import type { Client } from './client.ts'
import { Failure, NoAnswer } from './failure.ts'
import { rootCauseOf } from './root-cause.ts'
import { until } from './until.ts'

/** How long an item may take after its cause. */
const ITEM_TIMEOUT_MS = 15_000

/** The formats of streams, and how the items are found in what has come so far. */
const READERS = {
  'text/event-stream': (text: string) => wholeLines(text).flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []),
  'application/jsonl': wholeLines,
  'application/json-seq': (text: string) =>
    wholeLines(text).flatMap((line) => (line[0] === '\u001e' ? line.slice(1) : [])),
}

export type StreamType = keyof typeof READERS

/** A stream over HTTP that is read as it comes. */
export interface Stream {
  /** Waits for an item. @throws Failure if it does not come */
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
  const came = `${response.status} ${response.headers.get('Content-Type')}`
  if (!came.startsWith(`200 ${type}`)) throw new Failure(`200 ${type}`, came, request)
  const textOf = readInBackground(response)
  return {
    async expectItem(what, isMeant) {
      const find = async () => READERS[type](textOf()).map(parseItem).find(isMeant)
      const found = await until(find, ITEM_TIMEOUT_MS)
      if (found !== undefined) return found
      throw new Failure(what, `${textOf().length} characters without it: ${textOf().slice(-300)}`, request)
    },
    close: () => ended.abort(),
  }
}

async function openResponse(client: Client, url: string, headers: Record<string, string>, ended: AbortController) {
  const signal = AbortSignal.any([client.signal, ended.signal])
  // Only the head has a time limit.
  const limit = setTimeout(() => ended.abort(), client.timeoutMs)
  try {
    return await fetch(url, { headers, signal, redirect: 'manual' })
  } catch (error) {
    throw new NoAnswer('a stream', rootCauseOf(error).message, `GET ${url}`)
  } finally {
    clearTimeout(limit)
  }
}

/** @returns What has come so far */
function readInBackground(response: Response): () => string {
  let received = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true })
  }
  read().catch(() => {})
  return () => received
}

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
