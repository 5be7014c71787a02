import { whenAborted } from '../../lib/when-aborted.ts'
import { DATA_POLICY } from './formats.ts'

/** The path of the stream, without the prefix `/echo`. */
export const STREAM_PATH = '/stream'

const COUNT = { fallback: 10, min: 1, max: 60 }
const INTERVAL_SECONDS = { fallback: 1, min: 0.1, max: 10 }
/** How long a client waits before it reconnects. */
const RETRY_MS = 1000

export interface StreamServices {
  wait(milliseconds: number): Promise<void>
  /** Aborted when the world ends, which ends the stream. */
  ending: AbortSignal | undefined
}

/**
 * Streams events (HTML Standard, section 9.2) and ends: `?count=` events, one every `?interval=` seconds, with the text
 * of `?data=`. A client that reconnects with `Last-Event-ID` gets the remaining events. If no events remain, the
 * response is 204, which tells the client not to reconnect.
 */
export function openStream({ url, headers }: Request, { wait, ending }: StreamServices): Response {
  const { searchParams } = new URL(url)
  const count = Math.floor(numberIn(searchParams.get('count'), COUNT))
  const pauseMs = numberIn(searchParams.get('interval'), INTERVAL_SECONDS) * 1000
  const firstId = lastEventOf(headers) + 1
  if (firstId > count) return new Response(null, { status: 204 })
  let nextId = firstId
  let forgetEnding = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      forgetEnding = whenAborted(ending, () => controller.close())
    },
    async pull(controller) {
      if (nextId > firstId) await wait(pauseMs)
      if (ending?.aborted) return
      controller.enqueue(writeEvent(nextId, searchParams.get('data') ?? 'ping'))
      nextId += 1
      if (nextId <= count) return
      forgetEnding()
      controller.close()
    },
    cancel: () => forgetEnding(),
  })
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Content-Security-Policy': DATA_POLICY },
  })
}

function writeEvent(id: number, data: string): Uint8Array {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)
  return new TextEncoder().encode(`event: message\nid: ${id}\nretry: ${RETRY_MS}\n${lines.join('\n')}\n\n`)
}

/** Reads a number and limits it to a range. A text that is not a number counts as absent. */
function numberIn(text: string | null, { fallback, min, max }: typeof COUNT): number {
  if (!/^\d+(?:\.\d+)?$/.test(text ?? '')) return fallback
  return Math.min(Math.max(Number(text), min), max)
}

/**
 * The id of the last event that the client has received; 0 if it has received none. A text of more than nine digits was
 * not sent by a stream, so it counts as none.
 */
function lastEventOf(headers: Headers): number {
  const id = headers.get('Last-Event-ID') ?? ''
  return /^\d{1,9}$/.test(id) ? Number(id) : 0
}
