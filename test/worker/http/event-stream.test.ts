import { describe, expect, it } from 'vitest'
import { joinItems, STREAM_REPORT_MIN } from '../../../src/events/stream-frames.ts'
import { streamFrom } from '../../../src/http/event-stream.ts'
import { readStream } from '../../support/streams.ts'

const SERVER_SENT_EVENTS = 'text/event-stream'
const BEGIN = { lastEventId: null, isInvalid: false }
const never = (_milliseconds: number) => new Promise<void>(() => {})

/** A stream, and the hub's end of its socket. */
function begin({ mediaType = SERVER_SENT_EVENTS, wait = never, resumption = BEGIN } = {}) {
  const { 0: client, 1: hub } = new WebSocketPair()
  hub.accept()
  const heard: string[] = []
  const closed = new Promise<void>((resolve) => hub.addEventListener('close', () => resolve()))
  hub.addEventListener('message', ({ data }) => heard.push(String(data)))
  const readable = streamFrom(client, mediaType, resumption, wait)
  return { hub, heard, closed, readable, read: () => readStream(new Response(readable)) }
}

const itemOf = (id: string, padding = '') => JSON.stringify({ id, event: 'created', planet: { padding } })

describe('a stream', () => {
  it('ends after an hour, in which it waits for 15 seconds at a time', async () => {
    const waits: number[] = []
    const { read, closed } = begin({ wait: async (milliseconds) => void waits.push(milliseconds) })
    await read().ended
    expect(waits).toEqual(Array.from({ length: 240 }, () => 15_000))
    await closed
  })

  it('sends a comment after each of these waits', async () => {
    let pass = () => {}
    const wait = () =>
      new Promise<void>((resolve) => {
        pass = resolve
      })
    const { read } = begin({ wait })
    const stream = read()
    for (let sent = 'retry: 2000\n\n'; sent.length < 30; sent += ':\n\n') {
      expect(await stream.until(sent)).toBe(sent)
      // The writer learns that the reader has taken it.
      await scheduler.wait(1)
      pass()
    }
    await stream.cancel()
  })

  it.each(['application/jsonl', 'application/json-seq'])(
    'of %s has no heartbeat, and ends if nothing happens for 5 minutes',
    async (mediaType) => {
      const waits: number[] = []
      const { hub, closed, read } = begin({
        mediaType,
        wait: async (milliseconds) => {
          waits.push(milliseconds)
          // Before 4 minutes and 45 seconds have passed.
          if (waits.length !== 19) return
          hub.send(itemOf('1'))
          await stream.until(itemOf('1'))
        },
      })
      hub.send('{}')
      const stream = read()
      expect(await stream.ended).toContain(itemOf('1'))
      await closed
      expect(waits).toHaveLength(18 + 20)
    },
  )

  it('ends with its socket', async () => {
    const { hub, read } = begin()
    hub.send('{}')
    hub.send(itemOf('1'))
    const stream = read()
    await stream.until('id: 1\n')
    hub.close(1012, 'over')
    expect(await stream.ended).toBe(`retry: 2000\n\nid: 1\nevent: created\ndata: ${itemOf('1')}\n\n`)
  })

  it('closes its socket when its reader leaves', async () => {
    const { closed, readable } = begin()
    await readable.cancel()
    await closed
  })

  it('tells the hub how much its reader has taken', async () => {
    const { hub, heard, read } = begin()
    hub.send('{}')
    const items = [0, 1, 2].map((number) => itemOf(String(number), 'a'.repeat(STREAM_REPORT_MIN / 2)))
    for (const item of items) hub.send(item)
    await scheduler.wait(10)
    expect(heard).toEqual([])
    await read().until('id: 2\n')
    await scheduler.wait(10)
    // The third is less than a report is worth.
    expect(heard).toEqual([String(items.slice(0, 2).join('').length)])
  })

  it('writes each item of a frame', async () => {
    const { hub, read } = begin({ mediaType: 'application/jsonl' })
    hub.send('{}')
    hub.send(joinItems([itemOf('1'), itemOf('2')]))
    const stream = read()
    expect(await stream.until(itemOf('2'))).toBe(`${itemOf('1')}\n${itemOf('2')}\n`)
    await stream.cancel()
  })

  it('leaves its heartbeat out while its reader does not read', async () => {
    let beats = 0
    const { hub, read } = begin({
      wait: () => (beats++ < 3 ? Promise.resolve() : new Promise(() => {})),
    })
    hub.send('{}')
    hub.send(itemOf('1'))
    await scheduler.wait(10)
    const stream = read()
    expect(await stream.until('id: 1\n')).toMatch(/^retry: 2000\n\nid: 1\n/)
    await stream.cancel()
  })
})
