/** The keys of a table that is written out in full: such a table has no others, which TypeScript cannot know. */
export function keysOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]
}
