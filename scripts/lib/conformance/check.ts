import type { Client } from './client.ts'
import type { World } from './world.ts'

/** The surroundings of a check. */
export interface Setting {
  /** The world in which the check may create what it needs. With `--read-only`, checks only read it. */
  world: World
  /**
   * A world with at least three planets, which checks only read. With `--world` or `--read-only`, it is `world`, which
   * others may change.
   */
  quiet(): Promise<World>
  /** The common world, at the address; undefined with `--world`. */
  common: Client | undefined
  /**
   * Makes a universe for one check, which may reset it, end it or use up its limits.
   *
   * @throws NotTried with `--world` or `--read-only`
   */
  makeUniverse(): Promise<World>
}

/** A row of the interface: one promise of the service, and a test of it. */
export interface Check {
  /** The part of the interface that has the row. */
  part: string
  row: string
  /** Whether the test changes nothing, in any world. */
  isRead: boolean
  /**
   * Tests the promise.
   *
   * @throws Failure if the service breaks the promise; NotTried if it cannot be tested in this setting
   */
  run(setting: Setting): Promise<void>
}

export const nameOf = ({ part, row }: Check): string => `${part}: ${row}`

export type Row = [row: string, run: (setting: Setting) => Promise<unknown>]

/** Checks of one part of the interface that create what they need. */
export const checks = (part: string, rows: Row[]): Check[] => rows.map((row) => toCheck(part, row, false))

/** Checks that change nothing. */
export const reads = (part: string, rows: Row[]): Check[] => rows.map((row) => toCheck(part, row, true))

function toCheck(part: string, [row, run]: Row, isRead: boolean): Check {
  return { part, row, isRead, run: async (setting) => void (await run(setting)) }
}
