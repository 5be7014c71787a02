import type { UniverseFigures } from '../domain/universe.ts'
import type { FigureName } from './figure-triggers.ts'

/** The figures of a universe: how much it contains, and how much it can contain. */
export interface StoredFigures {
  limits: UniverseFigures
  usage: UniverseFigures
  /** Number of celestial bodies that use the room of planets. */
  otherBodies: number
}

/** A row of the table. */
export interface FigureRow extends Record<string, string | number | null> {
  name: string
  used: number
  allowed: number | null
}

/** The part of the SQL storage of a Durable Object that reads figures. */
interface Sql {
  exec<Row extends Record<string, string | number | null>>(query: string): Iterable<Row>
}

/** Reads the figures in one query. */
export function readFigures(sql: Sql): StoredFigures {
  const rows = [...sql.exec<FigureRow>('select name, used, allowed from universe_figures')]
  const value = (figure: FigureName, column: 'used' | 'allowed') => {
    const found = rows.find(({ name }) => name === figure)?.[column]
    if (typeof found !== 'number') throw new Error(`the universe does not count ${figure}`)
    return found
  }
  return {
    limits: makeFigures((figure) => value(figure, 'allowed')),
    usage: makeFigures((figure) => value(figure, 'used')),
    otherBodies: value('bodies', 'used'),
  }
}

function makeFigures(read: (figure: keyof UniverseFigures) => number): UniverseFigures {
  return {
    planets: read('planets'),
    users: read('users'),
    images: read('images'),
    imageBytes: read('imageBytes'),
    deliveries: read('deliveries'),
    inboxes: read('inboxes'),
  }
}
