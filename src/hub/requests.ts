import type { Subscription } from '../events/subscription.ts'
import { type Member, sendTo } from './members.ts'

/** How many requests of a socket may wait for their replies. */
const WAITING_MAX = 100

/**
 * The requests that clients send on their sockets. The requests of each socket are answered one by one, in their order.
 */
export class Requests {
  readonly #answer: (text: string, subscription: Subscription) => Promise<string>
  readonly #wait: (milliseconds: number) => Promise<void>
  readonly #waiting = new Map<Member, string[]>()

  constructor(
    answer: (text: string, subscription: Subscription) => Promise<string>,
    wait: (milliseconds: number) => Promise<void>,
  ) {
    this.#answer = answer
    this.#wait = wait
  }

  /** Takes a request. @returns False if too many requests of the socket are waiting, so that it must be closed */
  add(member: Member, text: string): boolean {
    const waiting = this.#waiting.get(member)
    if (!waiting) {
      this.#waiting.set(member, [text])
      void this.#answerAll(member)
      return true
    }
    waiting.push(text)
    return waiting.length <= WAITING_MAX
  }

  /** Forgets the requests of a socket that was closed. */
  forget(member: Member): void {
    this.#waiting.delete(member)
  }

  async #answerAll(member: Member): Promise<void> {
    for (let next = this.#takeNext(member); next !== undefined; next = this.#takeNext(member)) {
      const reply = await this.#answer(next, member.subscription)
      if (!this.#waiting.has(member)) return
      sendTo(member, reply)
      // Replies are sent at a limited pace. Otherwise they would pile up in memory if the client does not read them.
      const delay = member.pace.noteSent(reply.length)
      if (delay > 0) await this.#wait(delay)
    }
    this.#waiting.delete(member)
  }

  #takeNext(member: Member): string | undefined {
    return this.#waiting.get(member)?.shift()
  }
}
