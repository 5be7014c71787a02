import { describe, expect, it } from 'vitest'
import { openStream } from '../../../../src/features/echo/stream.ts'
import { sendToEcho } from '../../../support/echo.ts'

interface StreamEvent {
  id: string
  data: string
  [field: string]: string
}

/** Reads a stream as the HTML Standard defines it (section 9.2.6), including unknown fields. */
function parseEvents(text: string): StreamEvent[] {
  expect(text.endsWith('\n\n')).toBe(true)
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const event: StreamEvent = { id: '', data: '' }
      const data: string[] = []
      for (const line of block.split('\n')) {
        const [, field = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
        if (field === 'data') data.push(value)
        else event[field] = value
      }
      return { ...event, data: data.join('\n') }
    })
}

async function stream(query: string, headers = {}) {
  const waits: number[] = []
  const wait = async (milliseconds: number) => void waits.push(milliseconds)
  const response = await sendToEcho(`/echo/stream${query}`, { headers }, { wait })
  return { response, text: await response.text(), waits }
}

describe('the stream of the echo', () => {
  it('sends ten events, one a second, and ends', async () => {
    const { response, text, waits } = await stream('')
    expect(response.headers.get('Content-Type')).toBe('text/event-stream')
    const events = parseEvents(text)
    expect(events[0]).toEqual({ event: 'message', id: '1', retry: '1000', data: 'ping' })
    expect(events.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
    expect(waits).toEqual(Array(9).fill(1000))
  })

  it.each([
    ['?count=1', 1],
    ['?count=60', 60],
    ['?count=61', 60],
    ['?count=0', 1],
    ['?count=2.9', 2],
    ['?count=many', 10],
    ['?count=-1', 10],
  ])('with %s has %d events', async (query, count) => {
    expect(parseEvents((await stream(query)).text)).toHaveLength(count)
  })

  it.each([
    ['0.5', 500],
    ['0', 100],
    ['0.1', 100],
    ['10', 10_000],
    ['11', 10_000],
    ['soon', 1000],
  ])('with interval=%s pauses %d ms', async (interval, pause) => {
    expect((await stream(`?count=3&interval=${interval}`)).waits).toEqual([pause, pause])
  })

  it.each([
    ['one', 'one'],
    ['one\ntwo', 'one\ntwo'],
    ['one\r\ntwo\rthree\n\nfour', 'one\ntwo\nthree\n\nfour'],
    ['', ''],
    ['\n', '\n'],
    [': no comment\nid: 7\nevent: x', ': no comment\nid: 7\nevent: x'],
    ['🪐', '🪐'],
  ])('sends %j completely, in lines', async (data, expected) => {
    const { text } = await stream(`?count=1&data=${encodeURIComponent(data)}`)
    expect(parseEvents(text)).toEqual([{ event: 'message', id: '1', retry: '1000', data: expected }])
  })

  it('continues after the last event that the client received', async () => {
    const { text } = await stream('?count=5', { 'Last-Event-ID': '3' })
    expect(parseEvents(text).map(({ id }) => id)).toEqual(['4', '5'])
  })

  it.each(['5', '9'])('tells a client that has received event %s of 5 to stop', async (id) => {
    expect((await stream('?count=5', { 'Last-Event-ID': id })).response.status).toBe(204)
  })

  it.each(['a', '-1', '1.5', ''])('starts at the beginning if Last-Event-ID is "%s"', async (id) => {
    expect(parseEvents((await stream('?count=2', { 'Last-Event-ID': id })).text)).toHaveLength(2)
  })

  it('stops when nobody reads any more', async () => {
    let waits = 0
    const wait = async () => void waits++
    const response = await sendToEcho('/echo/stream?count=60', {}, { wait })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await new Promise((resolve) => setTimeout(resolve))
    expect(waits).toBeLessThan(5)
  })

  it.each(['POST', 'OPTIONS'])('is an ordinary echo for %s', async (method) => {
    expect(await (await sendToEcho('/echo/stream', { method })).json()).toMatchObject({ method, path: '/stream' })
  })
})

it('a stream that opens after its world has ended is empty and ends', async () => {
  const { body } = openStream(new Request('https://galaxy.example/echo/stream'), {
    wait: async () => {},
    ending: AbortSignal.abort('This universe has ended.'),
  })
  expect(await new Response(body).text()).toBe('')
})
