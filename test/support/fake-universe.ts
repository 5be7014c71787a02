import {
  type NewUniverse,
  OWNER_ID,
  type Seed,
  type UniverseChanges,
  type UniverseControl,
  type UniverseFigures,
  type UniverseMaker,
  type UniverseState,
  type UniverseStore,
} from '../../src/domain/universe.ts'
import { EXAMPLE_TOKEN } from '../../src/schemas/user.ts'

// What a test puts in the place of the object in which a universe runs: it only remembers what it was asked to do.

const HOUR_MS = 3_600_000

const LIMITS = {
  planets: 25_402,
  users: 1000,
  images: 500,
  imageBytes: 100_000_000,
  deliveries: 10_000,
  inboxes: 50,
  labRuns: 50,
}
const USAGE = { planets: 5402, users: 1, images: 0, imageBytes: 0, deliveries: 0, inboxes: 0, labRuns: 0 }

/** The universe in which a client of a test works. */
export class FakeUniverse implements UniverseControl {
  readonly state: UniverseState
  readonly store: UniverseStore = { memory: {}, run: (statement) => this.#run(statement) }
  /** What was done to it, in this order. */
  readonly done: string[] = []

  constructor(id: string, createdAt: Date) {
    const expiresAt = new Date(createdAt.getTime() + 24 * HOUR_MS)
    this.state = { id, seed: 'catalogue', createdAt, expiresAt, isFixed: false, tokenSeconds: 3600 }
  }

  describe(): UniverseState & { limits: UniverseFigures; usage: UniverseFigures } {
    return { ...this.state, limits: LIMITS, usage: USAGE }
  }

  get tokenSeconds(): number {
    return this.state.tokenSeconds
  }

  change({ expiresAt, tokenSeconds = this.state.tokenSeconds }: UniverseChanges): UniverseState {
    if (expiresAt) {
      this.done.push(`ends ${expiresAt.toISOString()}`)
      Object.assign(this.state, { expiresAt, isFixed: true })
    }
    this.state.tokenSeconds = tokenSeconds
    return this.state
  }

  /** Every table exists, and none has rows. */
  // biome-ignore lint/suspicious/noExplicitAny: the rows have the type that the caller reads
  #run(statement: string): any[] {
    const [, effect] = /^(?:insert into|delete from|update) (\w+)/.exec(statement) ?? []
    if (effect !== undefined) this.done.push(effect)
    return statement.includes('sqlite_master') ? [{}] : []
  }

  async prepareReset(): Promise<() => void> {
    return () => void this.done.push('reset')
  }

  async end(): Promise<void> {
    this.done.push('ended')
  }
}

/** What a maker of universes was asked for. */
interface Wish {
  id: string
  seed: Seed
  hours: number
  baseUrl: string
}

/** A maker that makes nothing. */
export class FakeMaker implements UniverseMaker {
  readonly wishes: Wish[] = []
  readonly #createdAt: Date

  constructor(createdAt = new Date()) {
    this.#createdAt = createdAt
  }

  async make(id: string, seed: Seed, hours: number, baseUrl: string): Promise<NewUniverse> {
    this.wishes.push({ id, seed, hours, baseUrl })
    return {
      id,
      seed,
      createdAt: this.#createdAt,
      expiresAt: new Date(this.#createdAt.getTime() + hours * HOUR_MS),
      isFixed: false,
      tokenSeconds: 3600,
      owner: { id: OWNER_ID, name: 'Galaxy', email: 'owner@universe.example', password: 'only once' },
      token: EXAMPLE_TOKEN,
    }
  }
}
