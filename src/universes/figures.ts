import type { UniverseFigures } from '../domain/universe.ts'
import type { FigureName } from './figure-triggers.ts'

export interface StoredFigures {
  limits: UniverseFigures
  usage: UniverseFigures
  /** Number of other celestial bodies, which count towards the limit of planets. */
  otherBodies: number
}

export interface FigureRow extends Record<string, string | number | null> {
  name: string
  used: number
  allowed: number | null
}

/** The part of the SQL storage of a Durable Object that reads figures. */
interface Sql {
  exec<Row extends Record<string, string | number | null>>(query: string): Iterable<Row>
}

/** Reads the figures of a universe in one query. */
export function readFigures(sql: Sql): StoredFigures {
  const rows = [...sql.exec<FigureRow>('select name, used, allowed from universe_figures')]
  const value = (figure: FigureName, column: 'used' | 'allowed') => {
    const number = rows.find(({ name }) => name === figure)?.[column]
    if (typeof number !== 'number') throw new Error(`the universe does not count ${figure}`)
    return number
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
    labRuns: read('labRuns'),
  }
}
