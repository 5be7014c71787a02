import { describe, expect, it } from 'vitest'
import { joinItems, STREAM_REPORT_MIN } from '../../../../src/events/stream-frames.ts'
import { streamFrom } from '../../../../src/features/live/event-stream.ts'
import { readStream } from '../../../support/streams.ts'

const SERVER_SENT_EVENTS = 'text/event-stream'
const BEGIN: { lastEventId: string | null; isInvalid: boolean } = { lastEventId: null, isInvalid: false }
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

  it.each([
    [SERVER_SENT_EVENTS, ':\n', ':\n'],
    ['application/jsonl', '', ' '],
    ['application/x-ndjson', '', ' '],
    ['application/json-seq', '', '\u001e'],
  ])('of %s sends a heartbeat after each of these waits', async (mediaType, beginning, heartbeat) => {
    let pass = () => {}
    const wait = () =>
      new Promise<void>((resolve) => {
        pass = resolve
      })
    const { readable } = begin({ mediaType, wait })
    const reader = readable.getReader()
    const read = async () => new TextDecoder().decode((await reader.read()).value)
    if (beginning !== '') expect(await read()).toBe(beginning)
    for (let beat = 0; beat < 10; beat++) {
      // The writer learns that the reader has taken what came before.
      await scheduler.wait(1)
      pass()
      expect(await read()).toBe(heartbeat)
    }
    await reader.cancel()
  })

  it('says how long to wait before a new connection in the block of the first item, once', async () => {
    const { hub, read } = begin()
    hub.send('{}')
    hub.send(joinItems([itemOf('1'), itemOf('2')]))
    hub.send(itemOf('3'))
    const stream = read()
    const blockOf = (id: string) => `id: ${id}\nevent: created\ndata: ${itemOf(id)}\n\n`
    expect(await stream.until('id: 3\n')).toBe(`:\nretry: 2000\n${blockOf('1')}${blockOf('2')}${blockOf('3')}`)
    await stream.cancel()
  })

  it.each([
    ['the hub has none of the id', { lastEventId: 'lost', isInvalid: false }, '{"gap":true}'],
    ['the id makes no sense', { lastEventId: 'lost', isInvalid: true }, '{}'],
  ])('says it in the block of a gap instead, if %s', async (_, resumption, acknowledgement) => {
    const { hub, read } = begin({ resumption })
    hub.send(acknowledgement)
    hub.send(itemOf('1'))
    const stream = read()
    expect(await stream.until('id: 1\n')).toMatch(
      /^:\nretry: 2000\nevent: gap\ndata: \{"lastEventId":"lost"\}\n\nid: 1\n(?!.*retry)/s,
    )
    await stream.cancel()
  })

  it('writes an id that makes no sense in one line', async () => {
    const { hub, read } = begin({ resumption: { lastEventId: 'a\u2028b\u2029c\u0085d\ne', isInvalid: true } })
    hub.send('{}')
    const stream = read()
    expect(await stream.until('gap')).toContain('data: {"lastEventId":"a\\u2028b\\u2029c\\u0085d\\ne"}\n')
    await stream.cancel()
  })

  it('ends with its socket', async () => {
    const { hub, read } = begin()
    hub.send('{}')
    hub.send(itemOf('1'))
    const stream = read()
    await stream.until('id: 1\n')
    hub.close(1012, 'over')
    expect(await stream.ended).toBe(`:\nretry: 2000\nid: 1\nevent: created\ndata: ${itemOf('1')}\n\n`)
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
    expect(await stream.until('id: 1\n')).toMatch(/^:\nretry: 2000\nid: 1\n/)
    await stream.cancel()
  })
})
