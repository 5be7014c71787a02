import { expect, it } from 'vitest'
import {
  HubNotifier,
  PER_REQUEST_MAX,
  PER_REQUEST_MAX_MS,
  QUIET_MS,
  STUCK_AFTER_MS,
} from '../../../src/events/hub-notifier.ts'

/** A hub that answers notifications when the test says so, and a clock that the test moves. */
function makeNotifier() {
  const notified: PromiseWithResolvers<boolean>[] = []
  const waits: PromiseWithResolvers<void>[] = []
  const failures: unknown[] = []
  const requests: Promise<void>[] = []
  let time = 0
  const notifier = new HubNotifier({
    notifyHub() {
      notified.push(Promise.withResolvers())
      return latest(notified).promise
    },
    defer: (work) => void requests.push(work),
    logFailure: (error) => void failures.push(error),
    now: () => new Date(time),
    wait(milliseconds) {
      expect(milliseconds).toBe(QUIET_MS)
      waits.push(Promise.withResolvers())
      return latest(waits).promise
    },
  })
  function passTime(milliseconds: number): void {
    time += milliseconds
  }
  return { notifier, notified, waits, failures, requests, passTime }
}

function latest<Item>(items: readonly Item[]): Item {
  const item = items.at(-1)
  if (item === undefined) throw new Error('there is none')
  return item
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise((resolve) => setTimeout(resolve))

it('notifies the hub immediately', () => {
  const { notifier, notified } = makeNotifier()
  notifier.notify()
  expect(notified).toHaveLength(1)
})

it('needs only one more notification for everything that is written during one', async () => {
  const { notifier, notified, requests } = makeNotifier()
  for (let write = 0; write < 100; write++) notifier.notify()
  expect(notified).toHaveLength(1)
  latest(notified).resolve(true)
  await settle()
  expect(notified).toHaveLength(2)
  latest(notified).resolve(true)
  await Promise.all(requests)
  expect(requests).toHaveLength(1)
  expect(notified).toHaveLength(2)
  notifier.notify()
  expect(notified).toHaveLength(3)
})

it('waits before the next notification if nobody listens, and loses no write', async () => {
  const { notifier, notified, waits, requests } = makeNotifier()
  notifier.notify()
  latest(notified).resolve(false)
  await settle()
  for (let write = 0; write < 100; write++) notifier.notify()
  expect(notified).toHaveLength(1)
  latest(waits).resolve()
  await settle()
  expect(notified).toHaveLength(2)
  expect(requests).toHaveLength(1)
})

it('repeats a notification that failed, but only once', async () => {
  const { notifier, notified, waits, failures, requests } = makeNotifier()
  notifier.notify()
  latest(notified).reject(new Error('gone'))
  await settle()
  expect(failures).toEqual([new Error('gone')])
  expect(notified).toHaveLength(1)
  latest(waits).resolve()
  await settle()
  expect(notified).toHaveLength(2)
  latest(notified).reject(new Error('still gone'))
  await settle()
  latest(waits).resolve()
  await Promise.all(requests)
  expect(failures).toHaveLength(2)
  expect(notified).toHaveLength(2)
  notifier.notify()
  expect(notified).toHaveLength(3)
})

it('lets another request take over after some notifications', async () => {
  const { notifier, notified, requests } = makeNotifier()
  notifier.notify()
  for (let count = 1; count < PER_REQUEST_MAX; count++) {
    notifier.notify()
    latest(notified).resolve(true)
    await settle()
  }
  expect(requests).toHaveLength(1)
  expect(notified).toHaveLength(PER_REQUEST_MAX)
  notifier.notify()
  expect(requests).toHaveLength(2)
  expect(notified).toHaveLength(PER_REQUEST_MAX + 1)
})

it.each([
  { after: PER_REQUEST_MAX_MS - STUCK_AFTER_MS, requestCount: 1 },
  { after: PER_REQUEST_MAX_MS, requestCount: 2 },
])('lets another request take over after some time: $requestCount after $after ms', async ({ after, requestCount }) => {
  const { notifier, notified, requests, passTime } = makeNotifier()
  notifier.notify()
  notifier.notify()
  passTime(after)
  latest(notified).resolve(true)
  await settle()
  expect(notified).toHaveLength(2)
  notifier.notify()
  expect(requests).toHaveLength(requestCount)
})

it('lets another request take over if a notification hangs', async () => {
  const { notifier, notified, requests, passTime } = makeNotifier()
  notifier.notify()
  passTime(STUCK_AFTER_MS - 1)
  notifier.notify()
  expect(notified).toHaveLength(1)
  passTime(1)
  notifier.notify()
  expect(notified).toHaveLength(2)
  // The first notification returns after all. Its request leaves the news to the second one.
  notified[0]?.resolve(true)
  await requests[0]
  notifier.notify()
  expect(notified).toHaveLength(2)
})
