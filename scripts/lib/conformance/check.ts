import type { Client } from './client.ts'
import type { World } from './world.ts'

/** The surroundings of a check. */
export interface Place {
  /** The world in which it may create what it needs. If nothing may be changed, it is the one at the address. */
  world: World
  /** A world with at least three planets. Nothing else happens in it, unless the run was given a world or may change nothing. */
  quiet(): Promise<World>
  /** The common world, at the address; undefined if the run was given a world. */
  common: Client | undefined
  /**
   * Makes a universe for one check, which uses it up.
   *
   * @throws NotTried if the run was given a world
   */
  makeUniverse(): Promise<World>
}

/** A row of the interface, and how to see that the service keeps it. */
export interface Check {
  /** The part of the interface that has the row. */
  part: string
  row: string
  /** Whether it changes nothing, in any world. */
  isRead: boolean
  /**
   * Tries it.
   *
   * @throws Failure if the service does not keep it; NotTried if that cannot be seen here
   */
  run(place: Place): Promise<void>
}

export const nameOf = ({ part, row }: Check): string => `${part}: ${row}`

export type Row = [row: string, run: (place: Place) => Promise<unknown>]

/** Checks of one part of the interface that create what they need. */
export const checks = (part: string, rows: Row[]): Check[] => rows.map((row) => toCheck(part, row, false))

/** Checks that change nothing. */
export const reads = (part: string, rows: Row[]): Check[] => rows.map((row) => toCheck(part, row, true))

function toCheck(part: string, [row, run]: Row, isRead: boolean): Check {
  return { part, row, isRead, run: async (place) => void (await run(place)) }
}
