import { maskCredentials } from '../../domain/mask-credentials.ts'
import type { UniverseStore } from '../../domain/universe.ts'
import { sha256 } from '../../lib/sha256.ts'
import { Holds } from './holds.ts'
import { KEYS_MAX, VALUE_MAX } from './limits.ts'
import {
  countRules,
  deleteAttempts,
  type Ending,
  finishAttempt,
  hasTables,
  insertAttempt,
  type KeyState,
  listAttempts,
  readRules,
  type StoredRule,
  takeKey,
  writeKey,
  writeRules,
} from './queries.ts'
import type { AttemptQuery, FaultAttempt, FaultRule, FaultStep } from './schemas.ts'

/** The facts of a request by which rules decide. */
export interface FaultRequest {
  /** The method of the operation: GET for HEAD too. */
  operationMethod: string
  /** The path of the operation in the document. */
  template: string
  /** Whether it opens a WebSocket, which only a prefix matches. */
  opensSocket: boolean
  /** The method and the path as they came, below the world. */
  method: string
  path: string
  headers: Headers
  requestId: string
  now: Date
}

/** What a limit says about a key. */
export interface LimitState {
  requests: number
  seconds: number
  form: 'seconds' | 'date'
  remaining: number
  /** Until the window ends. */
  resetMs: number
  isExceeded: boolean
}

/** A request that a rule decides. */
export interface Decided {
  rule: FaultRule
  attempt: number
  /** What happens to it; undefined if it passes. */
  step: FaultStep | undefined
  limit: LimitState | undefined
  ids: { attemptId: number; keyId: number; ruleId: number }
}

/** What is kept in memory: whether a universe has rules must cost nothing to know. */
interface Memory {
  rules: StoredRule[]
  hasTables: boolean
  holds: Holds
}

const memories = new WeakMap<object, Memory>()

/** The rules of a universe, their keys, and what they have decided. */
export class FaultBook {
  readonly #store: UniverseStore
  readonly #memory: Memory

  constructor(store: UniverseStore) {
    this.#store = store
    this.#memory = memories.get(store.memory) ?? this.#load()
  }

  #load(): Memory {
    const isThere = hasTables(this.#store)
    const memory = { hasTables: isThere, rules: isThere ? readRules(this.#store) : [], holds: new Holds() }
    memories.set(this.#store.memory, memory)
    return memory
  }

  get hasRules(): boolean {
    return this.#memory.rules.length > 0
  }

  get holds(): Holds {
    return this.#memory.holds
  }

  /** Replaces all rules. Every sequence begins anew. */
  replace(rules: readonly FaultRule[]): void {
    writeRules(this.#store, rules)
    this.#memory.hasTables = true
    this.#memory.rules = readRules(this.#store)
  }

  describe(): (FaultRule & ReturnType<typeof countRules>[number])[] {
    const counts = this.#memory.hasTables ? countRules(this.#store) : []
    return this.#memory.rules.map(({ rule }, index) => ({
      ...rule,
      ...(counts[index] ?? { requests: 0, keys: 0, applied: 0, early: 0 }),
    }))
  }

  list(query: AttemptQuery): { attempts: FaultAttempt[]; total: number } {
    if (!this.#memory.hasTables) return { attempts: [], total: 0 }
    const { key } = query
    return listAttempts(this.#store, { ...query, ...(key !== undefined && { key: maskCredentials(key) }) })
  }

  /** Empties the list of attempts. Every sequence begins anew. */
  clear(): void {
    if (!this.#memory.hasTables) return
    deleteAttempts(this.#store)
    this.replace(this.#memory.rules.map(({ rule }) => rule))
  }

  /**
   * Counts a request and decides it. What is stored happens in one turn of the event loop, so that requests at the same
   * time get different numbers. Credentials in it are masked.
   *
   * @returns Undefined if no rule matches
   */
  async decide(request: FaultRequest): Promise<Decided | undefined> {
    const stored = this.#memory.rules.find(({ rule }) => matches(rule, request))
    if (!stored) return undefined
    const { id: ruleId, rule } = stored
    const { key, shownKey } = keysOf(rule, request)
    // Different credentials of the same length count by themselves. While one is hashed, the rules may be replaced.
    const storedKey = shownKey === key ? key : shownKey + (await sha256(key)).toHex()
    if (!this.#memory.rules.includes(stored)) return await this.decide(request)
    const now = request.now.getTime()
    const before = takeKey(this.#store, ruleId, storedKey, KEYS_MAX)
    const { limit, state } = spend(rule, before, now)
    const attempt = before.requests + 1
    const idempotencyKey = request.headers.get('Idempotency-Key')
    writeKey(this.#store, { ...state, requests: attempt, lastAt: now })
    const attemptId = insertAttempt(this.#store, ruleId, {
      rule: rule.name,
      key: shownKey,
      attempt,
      at: now,
      sincePrevious: before.lastAt === null ? null : Math.max(now - before.lastAt, 0),
      method: request.method,
      path: request.path,
      requestId: request.requestId,
      idempotencyKey: idempotencyKey === null ? null : maskCredentials(idempotencyKey).slice(0, VALUE_MAX),
      early: before.retryAt !== null && now < before.retryAt,
    })
    const ids = { attemptId, keyId: before.id, ruleId }
    return { rule, attempt, step: await stepOf(rule, key, attempt), limit, ids }
  }

  finish({ ids }: Decided, ending: Ending): void {
    finishAttempt(this.#store, ids, ending)
  }
}

function matches({ match = {} }: FaultRule, request: FaultRequest): boolean {
  const { method, path, header = {} } = match
  if (method !== undefined && method !== request.operationMethod) return false
  if (path === undefined ? request.opensSocket : !matchesPath(path, request)) return false
  return Object.entries(header).every(([name, value]) => request.headers.get(name) === value)
}

function matchesPath(path: string, { template, path: sent, opensSocket }: FaultRequest): boolean {
  if (!path.endsWith('/*')) return path === template && !opensSocket
  const prefix = path.slice(0, -1)
  return sent.startsWith(prefix) || template.startsWith(prefix)
}

/** What counts requests together, as it came and as it is shown. No path that rules match has a place for credentials. */
function keysOf({ key = 'rule' }: FaultRule, { path, headers }: FaultRequest): { key: string; shownKey: string } {
  if (key === 'rule') return { key: '', shownKey: '' }
  if (key === 'path') return { key: path, shownKey: path }
  const value = headers.get(key.slice('header:'.length)) ?? ''
  return { key: value.slice(0, VALUE_MAX), shownKey: maskCredentials(value).slice(0, VALUE_MAX) }
}

/** Counts a request in the limit of its key. A refusal moves nothing. */
function spend({ limit }: FaultRule, state: KeyState, now: number): { state: KeyState; limit: LimitState | undefined } {
  if (!limit) return { state, limit: undefined }
  const { requests, seconds, form = 'seconds' } = limit
  const hasEnded = state.windowUsed === 0 || now >= state.windowAt + seconds * 1000 || now < state.windowAt
  const current = hasEnded ? { ...state, windowAt: now, windowUsed: 0 } : state
  const isExceeded = current.windowUsed >= requests
  const windowUsed = current.windowUsed + (isExceeded ? 0 : 1)
  const resetMs = current.windowAt + seconds * 1000 - now
  const remaining = requests - windowUsed
  return { state: { ...current, windowUsed }, limit: { requests, seconds, form, remaining, resetMs, isExceeded } }
}

/** The step that a request takes. @param attempt Its number in its key, from 1 */
async function stepOf(rule: FaultRule, key: string, attempt: number): Promise<FaultStep | undefined> {
  const { name, steps, chance } = rule
  if (chance) {
    const isTaken = (await toss(`${chance.seed}/${name}/${key}/${attempt}`)) < chance.probability
    return isTaken ? chance.step : undefined
  }
  if (!steps) return undefined
  const total = steps.reduce((sum, { times = 1 }) => sum + times, 0)
  if (attempt > total && rule.then !== 'repeat') return rule.then === 'last' ? steps.at(-1) : undefined
  let place = (attempt - 1) % total
  return steps.find(({ times = 1 }) => {
    place -= times
    return place < 0
  })
}

/** A number from 0 to below 1: the first 8 hex digits of SHA-256, over 2^32. */
async function toss(text: string): Promise<number> {
  const digest = await sha256(text)
  return new DataView(digest.buffer).getUint32(0) / 2 ** 32
}
