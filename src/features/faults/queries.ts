import type { UniverseStore } from '../../domain/universe.ts'
import { ATTEMPTS_MAX } from './limits.ts'
import type { ActionName, AttemptQuery, FaultAttempt, FaultRule } from './schemas.ts'

// The tables of rules, keys and attempts in the database of a universe. They are made when its owner first sets rules,
// and a reset empties them. Ids are never used twice, so that the end of a request writes only to what it began with.

const TABLES = [
  `create table if not exists fault_rules (id integer primary key autoincrement, rule text not null,
    requests integer not null default 0, applied integer not null default 0, early integer not null default 0)`,
  `create table if not exists fault_keys (id integer primary key autoincrement, rule_id integer not null,
    key text not null, requests integer not null default 0, last_at integer, retry_at integer,
    window_at integer not null default 0, window_used integer not null default 0, unique (rule_id, key))`,
  `create table if not exists fault_attempts (id integer primary key autoincrement, rule text not null,
    key text not null, attempt integer not null, at integer not null, since_previous integer, method text not null,
    path text not null, request_id text not null, idempotency_key text, action text,
    applied integer not null default 0, status integer, early integer not null)`,
]

/** A rule with the id of its row. */
export interface StoredRule {
  id: number
  rule: FaultRule
}

/** The state of a key. Times are in milliseconds since 1970. */
export interface KeyState {
  id: number
  requests: number
  lastAt: number | null
  /** The time that the last `Retry-After` named. */
  retryAt: number | null
  windowAt: number
  windowUsed: number
}

export function hasTables(store: UniverseStore): boolean {
  return store.run("select 1 from sqlite_master where name = 'fault_rules'").length > 0
}

export function readRules(store: UniverseStore): StoredRule[] {
  const rows = store.run<{ id: number; rule: string }>('select id, rule from fault_rules order by id')
  return rows.map(({ id, rule }) => ({ id, rule: JSON.parse(rule) }))
}

/** Replaces all rules, and forgets their keys. */
export function writeRules(store: UniverseStore, rules: readonly FaultRule[]): void {
  for (const table of TABLES) store.run(table)
  store.run('delete from fault_rules')
  store.run('delete from fault_keys')
  for (const rule of rules) store.run('insert into fault_rules (rule) values (?)', JSON.stringify(rule))
}

/** The counts of each rule, in the order of the rules. */
export function countRules(store: UniverseStore): { requests: number; keys: number; applied: number; early: number }[] {
  return store.run(
    `select requests, applied, early, (select count(*) from fault_keys where rule_id = fault_rules.id) as keys
      from fault_rules order by id`,
  )
}

/** The state of a key. A new one is stored first; if there are too many then, the oldest is forgotten. */
export function takeKey(store: UniverseStore, ruleId: number, key: string, max: number): KeyState {
  const read = () =>
    store.run<{ [Name in keyof KeyState]: KeyState[Name] }>(
      `select id, requests, last_at as lastAt, retry_at as retryAt, window_at as windowAt, window_used as windowUsed
        from fault_keys where rule_id = ? and key = ?`,
      ruleId,
      key,
    )[0]
  const known = read()
  if (known) return known
  store.run('insert into fault_keys (rule_id, key) values (?, ?)', ruleId, key)
  store.run(
    `delete from fault_keys where rule_id = ?1
      and id <= (select id from fault_keys where rule_id = ?1 order by id desc limit 1 offset ?2)`,
    ruleId,
    max,
  )
  const made = read()
  if (!made) throw new Error('a key was not stored')
  return made
}

export function writeKey(store: UniverseStore, { id, requests, lastAt, windowAt, windowUsed }: KeyState): void {
  store.run(
    'update fault_keys set requests = ?, last_at = ?, window_at = ?, window_used = ? where id = ?',
    requests,
    lastAt,
    windowAt,
    windowUsed,
    id,
  )
}

/** An attempt when its request comes. */
export type NewAttempt = Omit<FaultAttempt, 'at' | 'action' | 'applied' | 'status'> & { at: number }

/** Lists an attempt, and counts it. @returns Its id */
export function insertAttempt(store: UniverseStore, ruleId: number, attempt: NewAttempt): number {
  const [row] = store.run<{ id: number }>(
    `insert into fault_attempts (rule, key, attempt, at, since_previous, method, path, request_id, idempotency_key,
      early) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
    attempt.rule,
    attempt.key,
    attempt.attempt,
    attempt.at,
    attempt.sincePrevious,
    attempt.method,
    attempt.path,
    attempt.requestId,
    attempt.idempotencyKey,
    Number(attempt.early),
  )
  if (!row) throw new Error('an insertion returns its row')
  store.run('delete from fault_attempts where id <= ?', row.id - ATTEMPTS_MAX)
  store.run(
    'update fault_rules set requests = requests + 1, early = early + ? where id = ?',
    Number(attempt.early),
    ruleId,
  )
  return row.id
}

/** How a request ended. */
export interface Ending {
  action: ActionName | null
  isApplied: boolean
  /** Null if no head was sent. */
  status: number | null
  /** The time that `Retry-After` names, in milliseconds since 1970; undefined if the answer has none. */
  retryAt: number | undefined
}

export function finishAttempt(
  store: UniverseStore,
  { attemptId, keyId, ruleId }: { attemptId: number; keyId: number; ruleId: number },
  { action, isApplied, status, retryAt }: Ending,
): void {
  store.run(
    'update fault_attempts set action = ?, applied = ?, status = ? where id = ?',
    action,
    Number(isApplied),
    status,
    attemptId,
  )
  if (isApplied) store.run('update fault_rules set applied = applied + 1 where id = ?', ruleId)
  if (retryAt !== undefined) store.run('update fault_keys set retry_at = ? where id = ?', retryAt, keyId)
}

export function deleteAttempts(store: UniverseStore): void {
  store.run('delete from fault_attempts')
}

/** A page of the attempts, oldest first, and the number of all. */
export function listAttempts(
  store: UniverseStore,
  { limit, offset, ...filters }: AttemptQuery,
): { attempts: FaultAttempt[]; total: number } {
  const [rule, key] = [filters.rule ?? null, filters.key ?? null]
  const where = 'where (?1 is null or rule = ?1) and (?2 is null or key = ?2)'
  const [row] = store.run<{ total: number }>(`select count(*) as total from fault_attempts ${where}`, rule, key)
  const rows = store.run<Omit<FaultAttempt, 'at' | 'applied' | 'early'> & Record<'at' | 'applied' | 'early', number>>(
    `select rule, key, attempt, at, since_previous as sincePrevious, method, path, request_id as requestId,
      idempotency_key as idempotencyKey, action, applied, status, early
      from fault_attempts ${where} order by id limit ?3 offset ?4`,
    rule,
    key,
    limit,
    offset,
  )
  const attempts = rows.map((attempt) => ({
    ...attempt,
    at: new Date(attempt.at).toISOString(),
    applied: attempt.applied === 1,
    early: attempt.early === 1,
  }))
  return { attempts, total: row?.total ?? 0 }
}
