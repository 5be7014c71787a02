import { eq, type SQL, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { build, type Placeholders, prepare, type Session, write } from '../db/port.ts'
import { keysOf } from '../lib/objects.ts'
import { rootCause } from '../lib/root-cause.ts'

/**
 * Registry: the tables whose ids are known before a write, and how many ids are taken in advance: few, so that the ids
 * of several processes stay close together.
 */
const IDS_IN_ADVANCE = { planets: 16, bodies: 32, users: 2, api_keys: 2, webhooks: 2, deliveries: 2 } as const

/** A table whose ids are known before a write. */
export type NumberedTable = keyof typeof IDS_IN_ADVANCE

/** All these tables. The migrations begin the counter of each. */
export const NUMBERED_TABLES = keysOf(IDS_IN_ADVANCE)

const sequence = sqliteTable('sqlite_sequence', {
  name: text('name').$type<NumberedTable>().notNull(),
  /** The highest id that was given so far. */
  seq: integer('seq').notNull(),
})

/** The statement that takes ids. It returns the last of them. */
const takeFromSequence = prepare(({ table, count }: Placeholders<{ table: NumberedTable; count: number }>) =>
  build
    .update(sequence)
    .set({ seq: sql`${sequence.seq} + ${count}` })
    .where(eq(sequence.name, table))
    .returning({ last: sequence.seq }),
)

/** SQL: the highest id of a table that was given so far, also in advance. */
export function lastIdOf(table: NumberedTable): SQL<number> {
  return sql<number>`(select ${sequence.seq} from ${sequence} where ${sequence.name} = ${table})`
}

/** Takes ids for a stock, in a batch that may fail. */
interface Order {
  statement: ReturnType<typeof takeFromSequence>
  /** Adds the ids to the stock. @param result That of the statement; undefined if the batch failed */
  settle(result: readonly { last: number }[] | undefined): void
}

/** The ids of one table that this process has, in ascending order. */
class Stock {
  readonly table: NumberedTable
  readonly #inAdvance: number
  #ids: number[] = []
  /** Whether an order of ids in advance is under way. */
  #isRefilling = false

  constructor(table: NumberedTable, inAdvance: number) {
    this.table = table
    this.#inAdvance = inAdvance
  }

  has(count: number): boolean {
    return this.#ids.length >= count
  }

  take(count: number): number[] {
    return this.#ids.splice(0, count)
  }

  /** Adds ids. They may be lower than others, for example if a write was refused. */
  add(ids: readonly number[]): void {
    this.#ids = [...this.#ids, ...ids].sort((a, b) => a - b)
  }

  forget(): void {
    this.#ids = []
  }

  countBelow(id: number): number {
    return this.#ids.filter((own) => own < id).length
  }

  /** Forgets the ids below one. */
  skipTo(id: number): void {
    this.#ids = this.#ids.filter((own) => own > id)
  }

  /** Whether it is time to take the next ids in advance. */
  get isLow(): boolean {
    return !this.#isRefilling && this.#inAdvance > 0 && this.#ids.length <= this.#inAdvance / 2
  }

  /** Orders ids, and those in advance, unless another order does. */
  order(needed: number): Order {
    const isRefill = !this.#isRefilling
    const count = needed + (isRefill ? this.#inAdvance : 0)
    this.#isRefilling = true
    return {
      statement: takeFromSequence({ table: this.table, count }),
      settle: (result) => {
        if (isRefill) this.#isRefilling = false
        if (!result) return
        const [row] = result
        if (!row) throw new Error(`the database does not count the ids of ${this.table}`)
        this.add(Array.from({ length: count }, (_, index) => row.last - count + 1 + index))
      },
    }
  }
}

/** The ids that this process has in advance. */
export class IdStocks {
  readonly #takesInAdvance: boolean
  #stocks = new Map<NumberedTable, Stock>()

  /** @param takesInAdvance False if a round trip costs nothing, so that each write takes just its own ids */
  constructor({ takesInAdvance }: { takesInAdvance: boolean }) {
    this.#takesInAdvance = takesInAdvance
  }

  /** One round trip if this process has not enough ids, otherwise none. */
  async take<Table extends NumberedTable>(
    session: Session,
    needs: Readonly<Partial<Record<Table, number>>>,
  ): Promise<TakenIds<Table>> {
    const parts = (Object.keys(needs) as Table[]).map((table) => ({
      stock: this.#stockOf(table),
      count: needs[table] ?? 0,
    }))
    for (;;) {
      const short = parts.filter(({ stock, count }) => !stock.has(count))
      if (short.length === 0) return new TakenIds(parts.map(({ stock, count }) => ({ stock, ids: stock.take(count) })))
      // Another request may take what is ordered here. Then more is ordered.
      await fetchIds(session, new Refill(short.map(({ stock, count }) => stock.order(count))))
    }
  }

  /** How many lower ids this process has in advance. */
  countBelow(table: NumberedTable, id: number): number {
    return this.#stockOf(table).countBelow(id)
  }

  /** Goes on after an id that a caller has chosen. */
  skipTo(table: NumberedTable, id: number): void {
    this.#stockOf(table).skipTo(id)
  }

  /** Forgets all ids, because the counters of the database begin anew. */
  forget(): void {
    this.#stocks = new Map()
  }

  #stockOf(table: NumberedTable): Stock {
    const stock = this.#stocks.get(table) ?? new Stock(table, this.#takesInAdvance ? IDS_IN_ADVANCE[table] : 0)
    this.#stocks.set(table, stock)
    return stock
  }
}

/** Statements that take ids in advance, in the batch of a change. */
export class Refill {
  readonly #orders: readonly Order[]

  constructor(orders: readonly Order[]) {
    this.#orders = orders
  }

  get statements() {
    return this.#orders.map(({ statement }) => statement)
  }

  /** Must be called after the batch. @param results Those of the statements; undefined if the batch failed */
  settle(results?: readonly (readonly { last: number }[])[]): void {
    for (const [index, { settle }] of this.#orders.entries()) settle(results?.[index])
  }
}

/** One round trip. */
async function fetchIds(session: Session, refill: Refill): Promise<void> {
  try {
    refill.settle(await write(session, refill.statements))
  } catch (error) {
    refill.settle()
    throw error
  }
}

export class TakenIds<Table extends NumberedTable = NumberedTable> {
  readonly #taken: readonly { stock: Stock; ids: readonly number[] }[]
  readonly #next: ReadonlyMap<Table, Iterator<number>>

  constructor(taken: readonly { stock: Stock; ids: readonly number[] }[]) {
    this.#taken = taken
    this.#next = new Map(taken.map(({ stock, ids }) => [stock.table as Table, ids.values()]))
  }

  /** The next id for a row of a table, in ascending order. */
  next(table: Table): number {
    const { value } = this.#next.get(table)?.next() ?? {}
    if (value === undefined) throw new Error(`a change uses more ids of ${table} than it took`)
    return value
  }

  /** Takes ids in advance for later changes, if few are left. */
  refill(): Refill {
    return new Refill(this.#taken.filter(({ stock }) => stock.isLow).map(({ stock }) => stock.order(0)))
  }

  /** Gives the ids back, because nothing was written. */
  giveBack(): void {
    for (const { stock, ids } of this.#taken) stock.add(ids)
  }

  /**
   * Forgets the ids in advance if the database rejected a batch because a row has one of them already: the operator has
   * put an earlier state of the database back.
   *
   * @returns Whether this was the error
   */
  forgetUsed(error: unknown): boolean {
    const { message } = rootCause(error)
    const used = this.#taken.filter(({ stock }) => message.includes(`UNIQUE constraint failed: ${stock.table}.id`))
    for (const { stock } of used) stock.forget()
    return used.length > 0
  }
}
