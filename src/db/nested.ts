import { Column, type GetColumnData, is, type SQL, sql } from 'drizzle-orm'

// Values that consist of several others, as one column of a query: columns of a joined table, a row of another table,
// or a list of rows. SQL makes one JSON text of them, however deep they are, which is parsed once.

/** What a value consists of: columns, SQL, and other such values. */
type Shape = Readonly<Record<string, Column | SQL | Nested<unknown>>>

type ValueOf<Member> = Member extends Column
  ? GetColumnData<Member>
  : Member extends Nested<infer Value> | SQL<infer Value>
    ? Value
    : never

type Whole<Members extends Shape> = { [Name in keyof Members]: ValueOf<Members[Name]> }

/** A value that consists of several others. */
export class Nested<Value> {
  /** JSON. A subquery of SQLite returns it as a text. */
  readonly sql: SQL
  /** Makes the value from the parsed JSON. */
  readonly read: (json: unknown) => Value

  constructor(json: SQL, read: (json: unknown) => Value) {
    this.sql = json
    this.read = read
  }

  column(): SQL<Value> {
    return sql`${this.sql}`.mapWith((text: unknown) => this.read(JSON.parse(String(text))))
  }

  /** The same value; null if a condition is false, and then nothing of it is read. */
  when(condition: SQL): Nested<Value | null> {
    const { read } = this
    return new Nested<Value | null>(sql`case when ${condition} then ${this.sql} end`, (json) =>
      json === null ? null : read(json),
    )
  }
}

/** Columns of the tables that a query reads, as one value. It hides their names, which may be those of other columns. */
export function together<const Members extends Shape>(shape: Members): Nested<Whole<Members>> {
  const members = Object.values(shape)
  return new Nested(sql`json_array(${listOf(members.map(jsonOf))})`, wholeReader(shape))
}

/** The row of another table. @param from The rest of the query, from `from` on. It finds one row */
export function rowOf<const Members extends Shape>(shape: Members, from: SQL): Nested<Whole<Members>> {
  const { sql: whole, read } = together(shape)
  return new Nested(sql`(select ${whole} ${from})`, read)
}

/** The row of another table; null if there is none. @param from See `rowOf` */
export function rowIfAny<const Members extends Shape>(shape: Members, from: SQL): Nested<Whole<Members> | null> {
  const { sql: row, read } = rowOf(shape, from)
  return new Nested(row, (json) => (json === null ? null : read(json)))
}

/** Rows of another table, in the order of the query. @param from See `rowOf`. It finds any number of rows */
export function rowsOf<const Members extends Shape>(shape: Members, from: SQL): Nested<Whole<Members>[]> {
  const members = Object.values(shape)
  const selected = members.map((member, index) => sql`${sqlOf(member)} as ${nameOf(index)}`)
  const json = members.map((member, index) => (isJson(member) ? sql`json(${nameOf(index)})` : nameOf(index)))
  const read = wholeReader(shape)
  return new Nested(
    sql`(select json_group_array(json_array(${listOf(json)})) from (select ${listOf(selected)} ${from}))`,
    // The type is that of `json_group_array`.
    (rows) => (rows as unknown[]).map(read),
  )
}

type Member = Shape[string]

const listOf = (parts: readonly SQL[]) => sql.join([...parts], sql`, `)
const nameOf = (index: number) => sql`${sql.identifier(`value_${index}`)}`

const sqlOf = (member: Member): SQL => (member instanceof Nested ? member.sql : sql`${member}`)

/** Whether a member is JSON already. Otherwise it would become a text within the JSON. */
function isJson(member: Member): boolean {
  return member instanceof Nested || (is(member, Column) && member.dataType.includes('json'))
}

const jsonOf = (member: Member): SQL => (isJson(member) ? sql`json(${sqlOf(member)})` : sqlOf(member))

/** Reads a value from the list of its members. */
function wholeReader<Members extends Shape>(shape: Members): (json: unknown) => Whole<Members> {
  const readers = Object.entries(shape).map(([name, member]) => [name, memberReader(member)] as const)
  return (json) => {
    // The type is that of `json_array`.
    const values = json as unknown[]
    const whole: Record<string, unknown> = {}
    for (const [index, [name, read]] of readers.entries()) whole[name] = read(values[index])
    return whole as Whole<Members>
  }
}

function memberReader(member: Member): (json: unknown) => unknown {
  if (member instanceof Nested) return member.read
  if (isJson(member) || !is(member, Column)) return (json) => json
  return (json) => (json === null ? null : member.mapFromDriverValue(json))
}
