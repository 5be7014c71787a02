import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CallRules, fetchGuarded, TargetRefused } from '../../../src/domain/guarded-fetch.ts'
import { readStart } from '../../../src/lib/read-stream.ts'
import { FakeNetwork } from '../../support/callbacks.ts'

// Calls to URLs from strangers: not to every address, no further than the first response, and no more of it than
// needed.

const URL_OF_RECEIVER = 'https://receiver.example/hook'

function rules(changes: Partial<CallRules> = {}): CallRules {
  const { signal } = new AbortController()
  return { allowsPrivate: false, ownOrigins: ['https://galaxy.test'], signal, ...changes }
}

describe('a call', () => {
  it('is sent as it was given', async () => {
    const network = new FakeNetwork()
    const headers = { 'x-galaxy-event': 'ping' }
    const init = { method: 'POST', headers, body: new TextEncoder().encode('é') }
    const response = await fetchGuarded(network.fetch, `${URL_OF_RECEIVER}?a=b%20c`, init, rules())
    expect(await response.text()).toBe('Thank you')
    expect(network.calls).toHaveLength(1)
    expect(network.calls[0]).toMatchObject({ url: `${URL_OF_RECEIVER}?a=b%20c`, method: 'POST', body: 'é' })
    expect(network.calls[0]?.headers.get('x-galaxy-event')).toBe('ping')
  })

  it.each([
    ['http://127.0.0.1/', 'the URL must lead to a public address'],
    ['http://[::1]:8787/', 'the URL must lead to a public address'],
    ['https://metadata.google.internal/', 'the URL must lead to a public address'],
    [
      'https://user:secret@receiver.example/',
      'the URL must not contain a user name, a password or an @ before its host',
    ],
    ['ftp://receiver.example/', 'the URL must be an absolute http or https URL'],
    ['/hook', 'the URL must be an absolute http or https URL'],
    [
      'https://galaxy.test/planets',
      'the URL must not lead to this service, except to its paths /echo and /inboxes/{id}/',
    ],
  ])('is not made to %s', async (url, reason) => {
    const network = new FakeNetwork()
    const call = fetchGuarded(network.fetch, url, { method: 'POST' }, rules())
    const error = await call.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TargetRefused)
    expect(error).toMatchObject({ name: 'TargetRefused', message: reason })
    expect(network.calls).toEqual([])
  })

  it('is made to a private address if allowed, but never to the service itself', async () => {
    const network = new FakeNetwork()
    const local = rules({ allowsPrivate: true, ownOrigins: ['http://127.0.0.1:8787'] })
    expect((await fetchGuarded(network.fetch, 'http://127.0.0.1:9999/', {}, local)).status).toBe(200)
    await expect(fetchGuarded(network.fetch, 'http://127.0.0.1:8787/', {}, local)).rejects.toThrow(TargetRefused)
    await expect(fetchGuarded(network.fetch, 'http://localhost:8787/', {}, local)).rejects.toThrow(TargetRefused)
    expect(network.calls.map(({ url }) => url)).toEqual(['http://127.0.0.1:9999/'])
  })

  it.each([301, 302, 303, 307, 308])('treats a redirect with %i as the response', async (status) => {
    const inits: (RequestInit | undefined)[] = []
    const fetcher: typeof fetch = async (_, init) => {
      inits.push(init)
      return new Response(null, { status, headers: { Location: 'http://127.0.0.1/' } })
    }
    const response = await fetchGuarded(fetcher, URL_OF_RECEIVER, { redirect: 'follow' }, rules())
    expect(response.status).toBe(status)
    expect(inits.map((init) => init?.redirect)).toEqual(['manual'])
  })

  it('ends at its time limit', async () => {
    const controller = new AbortController()
    const hanging: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    const other = new AbortController()
    const call = fetchGuarded(hanging, URL_OF_RECEIVER, { signal: other.signal }, rules({ signal: controller.signal }))
    controller.abort(new Error('ten seconds'))
    await expect(call).rejects.toThrow('ten seconds')
  })

  it('fails with the error of the network', async () => {
    const network = new FakeNetwork(() => Promise.reject(new Error('Network connection lost.')))
    await expect(fetchGuarded(network.fetch, URL_OF_RECEIVER, {}, rules())).rejects.toThrow('Network connection lost.')
  })
})

/** A body of these parts that records how many were requested and whether the rest was cancelled. */
function bodyOfParts(parts: readonly Uint8Array[], end: 'closes' | 'hangs' | 'breaks' = 'closes') {
  const seen = { given: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const part = parts[seen.given++]
        if (part) controller.enqueue(part)
        else if (end === 'closes') controller.close()
        else if (end === 'breaks') controller.error(new Error('the line broke'))
        else return new Promise(() => {})
        return undefined
      },
      cancel() {
        seen.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { response: new Response(body), seen }
}

const bytes = (length: number, value = 7) => new Uint8Array(length).fill(value)

describe('a response', () => {
  it('is read up to the limit, in any number of parts', async () => {
    const someParts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(someParts, fc.integer({ min: 1, max: 100 }), async (parts, maxBytes) => {
        const whole = parts.flatMap((part) => [...part])
        const { response, seen } = bodyOfParts(parts)
        expect([...(await readStart(response.body, maxBytes))]).toEqual(whole.slice(0, maxBytes))
        expect(seen.isCancelled).toBe(whole.length >= maxBytes)
      }),
    )
  })

  it('is empty if it has no body', async () => {
    for (const response of [new Response(null, { status: 204 }), new Response(null), new Response('')]) {
      expect(await readStart(response.body, 4096)).toHaveLength(0)
    }
  })

  it('is not requested beyond the limit, however long it is', async () => {
    const { response, seen } = bodyOfParts(Array.from({ length: 1000 }, () => bytes(1024)))
    expect(await readStart(response.body, 4096)).toEqual(bytes(4096))
    expect(seen).toEqual({ given: 4, isCancelled: true })
  })

  it('is returned at the limit, even if the rest never comes', async () => {
    const { response, seen } = bodyOfParts([bytes(4000), bytes(96)], 'hangs')
    expect(await readStart(response.body, 4096)).toEqual(bytes(4096))
    expect(seen.isCancelled).toBe(true)
  })

  it('is cut within a part that exceeds the limit', async () => {
    const { response } = bodyOfParts([bytes(3, 1), bytes(1_000_000, 2)])
    expect([...(await readStart(response.body, 5))]).toEqual([1, 1, 1, 2, 2])
  })

  it('is an error if its body breaks off', async () => {
    const { response } = bodyOfParts([bytes(10)], 'breaks')
    await expect(readStart(response.body, 4096)).rejects.toThrow('the line broke')
  })
})
