import { describe, expect, it, onTestFinished } from 'vitest'
import { PasswordWork } from '../../../src/auth/password-work.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { ProblemError } from '../../../src/domain/problems.ts'
import type { Clock } from '../../../src/lib/line.ts'
import { authorization, bodyOf, createAccount, createClient, ORIGIN } from '../../support/app.ts'
import { registerClient, requestTokens, signIn } from '../../support/oauth.ts'
import { readDatabase } from '../../support/stored.ts'

// How many passwords are hashed at a time, and what happens to the others.

const AT_ONCE = 2
const WAITING_MAX = 32

/** A queue with a clock that only the test moves. A waiting request looks again in the next turn of the event loop. */
class Desk {
  readonly work = new PasswordWork()
  ms = Date.now()
  readonly services: Clock = {
    now: () => new Date(this.ms),
    wait: () => this.#nextTurn(),
    random: () => 0.5,
  }
  /** The work that has begun, in order. */
  readonly begun: string[] = []
  readonly #ends = new Map<string, () => void>()
  #isOpen = true

  constructor() {
    // Requests that still wait would look again in each turn, and slow every timer of the later files down.
    onTestFinished(() => {
      this.#isOpen = false
    })
  }

  /** Work that lasts until the test ends it. */
  start(name: string, services = this.services): Promise<string> {
    return this.work.run(() => {
      this.begun.push(name)
      return new Promise((resolve) => this.#ends.set(name, () => resolve(name)))
    }, services)
  }

  end(name: string): void {
    this.#ends.get(name)?.()
  }

  /** Lets everything happen that can. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await this.#nextTurn()
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => setTimeout(() => this.#isOpen && resolve()))
  }
}

/** Ends a request as the runtime does when its client has gone: none of it continues. */
const CUT_OFF = () => new Promise<void>(() => {})

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  return error instanceof ProblemError ? error.code : 'none'
}

describe('the queue of passwords', () => {
  it('hashes two at a time, and the others in the order of arrival', async () => {
    const desk = new Desk()
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => desk.start(name))
    await desk.settle()
    expect(desk.begun).toEqual(['a', 'b'])
    desk.end('b')
    await desk.settle()
    expect(desk.begun).toEqual(['a', 'b', 'c'])
    desk.end('a')
    desk.end('c')
    await desk.settle()
    expect(desk.begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    for (const name of ['d', 'e']) desk.end(name)
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('lets 32 wait, rejects one more with 503 and Retry-After, and has room again when one is done', async () => {
    const desk = new Desk()
    for (let count = 0; count < AT_ONCE + WAITING_MAX; count++) void desk.start(`${count}`)
    await desk.settle()
    expect(() => desk.work.requireRoom(desk.services)).toThrow(ProblemError)
    const refusal = await desk.start('refused').catch((error) => error)
    expect([refusal.code, refusal.headers]).toEqual(['service-unavailable', { 'Retry-After': '5' }])
    desk.end('0')
    await desk.settle()
    desk.work.requireRoom(desk.services)
    void desk.start('later')
    await desk.settle()
    expect(() => desk.work.requireRoom(desk.services)).toThrow(ProblemError)
  })

  it('frees a place if its work fails', async () => {
    const desk = new Desk()
    void desk.start('a')
    await expect(
      desk.work.run(async () => {
        throw new Error('no hash')
      }, desk.services),
    ).rejects.toThrow('no hash')
    void desk.start('b')
    await desk.settle()
    expect(desk.begun).toEqual(['a', 'b'])
  })

  it('frees the place of a request that was cut off after five seconds', async () => {
    const desk = new Desk()
    const cutOff = { ...desk.services, wait: CUT_OFF }
    for (const name of ['a', 'b', 'c']) void desk.start(name, cutOff)
    void desk.start('d')
    desk.ms += 4_999
    await desk.settle()
    expect(desk.begun).toEqual(['a', 'b'])
    desk.ms += 1
    await desk.settle()
    expect(desk.begun).toEqual(['a', 'b', 'd'])
  })

  it('rejects a request that has waited more than ten seconds', async () => {
    const desk = new Desk()
    const busy = Array.from({ length: AT_ONCE }, () =>
      desk.work.run(async (yieldTurn) => {
        for (let step = 0; step < 100; step++) await yieldTurn()
      }, desk.services),
    )
    const waiting = codeOf(desk.start('late'))
    for (let step = 0; step < 4; step++) {
      desk.ms += 3_000
      await desk.settle()
    }
    expect(await waiting).toBe('service-unavailable')
    await Promise.all(busy)
  })

  it('lets other requests run between the steps of a password', async () => {
    const { passwordWork, now, wait, random } = createClient().services
    let [turns, isDone] = [0, false]
    const others = (async () => {
      while (!isDone) {
        await wait(0)
        turns++
      }
    })()
    await passwordWork.run((yieldTurn) => hashPassword('i-love-planets', 1_000_000, yieldTurn), {
      now,
      wait,
      random,
    })
    isDone = true
    await others
    expect(turns).toBeGreaterThan(5)
  })
})

describe('while the queue of passwords is full', () => {
  /** A service with a full queue. */
  function createBusy() {
    const desk = new Desk()
    for (let count = 0; count < AT_ONCE + WAITING_MAX; count++) void desk.start(`${count}`)
    return createClient({ passwordWork: desk.work, config: { legacyFlows: true } })
  }

  it.each([
    ['a right password', true],
    ['a wrong password', false],
    ['an unknown e-mail', undefined],
  ])('%s is 503 for a token and for Basic, and nothing is counted', async (_, isRight) => {
    const busy = createBusy()
    const account = await createAccount(busy)
    const email = isRight === undefined ? `nobody-${account.email}` : account.email
    const password = isRight === false ? 'wrong horse' : account.password
    const before = await readDatabase()
    const answers = [
      await busy.sendJson('POST', '/auth/token', { email, password }),
      await busy.get('/me', { Authorization: `Basic ${btoa(`${email}:${password}`)}` }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
      expect((await bodyOf(answer)).type).toBe(`${ORIGIN}/problems/service-unavailable`)
    }
    expect(await readDatabase()).toEqual(before)
  })

  it('a sign-up and a password change are 503, and nothing is stored', async () => {
    const busy = createBusy()
    const account = await createAccount(busy)
    const before = await readDatabase()
    const passwords = { currentPassword: account.password, newPassword: 'another horse' }
    const answers = [
      await busy.sendJson('POST', '/user/signup', { email: 'busy@galaxy.test', password: 'i-love-planets' }),
      await busy.sendJson('PUT', '/me/password', passwords, account),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
      [503, '5'],
      [503, '5'],
    ])
    expect(await readDatabase()).toEqual(before)
  })

  it('OAuth uses its own format: JSON for a client, a page for a user', async () => {
    const busy = createBusy()
    const account = await createAccount(busy)
    const client = await registerClient(busy.send, { grant_types: ['authorization_code', 'password'] })
    const { email, password } = account
    const form = { grant_type: 'password', username: email, password }
    const answer = await requestTokens(busy.send, client, form)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
    expect((await bodyOf(answer)).error).toBe('temporarily_unavailable')
    const { response, page } = await signIn(busy.send, account, client.id)
    expect([response?.status, response?.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(page).toContain('Too many passwords are being checked at the moment.')
  })

  it('everything without a password still works, and so does Basic that was checked a moment ago', async () => {
    const free = createClient()
    const account = await createAccount(free)
    const basic = { Authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` }
    expect((await free.get('/me', basic)).status).toBe(200)
    const desk = new Desk()
    for (let count = 0; count < AT_ONCE + WAITING_MAX; count++) void desk.start(`${count}`)
    const busy = createClient({ passwordWork: desk.work, provedPasswords: free.services.provedPasswords })
    expect((await busy.get('/me', basic)).status).toBe(200)
    expect((await busy.get('/me', authorization(account))).status).toBe(200)
    expect((await busy.get('/planets?limit=1')).status).toBe(200)
  })
})
