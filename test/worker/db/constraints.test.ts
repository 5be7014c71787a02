import { expect, inject, it } from 'vitest'
import { CONSTRAINTS } from '../../../src/db/constraints.ts'
import { figureStatements } from '../../../src/universes/figure-triggers.ts'

const statements = [...inject('database').migrations.flatMap(({ queries }) => queries), ...figureStatements()]
const raised = statements.flatMap((query) =>
  [...query.matchAll(/RAISE\(ABORT, '([^']+)'\)/gi)].map(([, words = '']) => words),
)
const ofSqlite: string[] = [CONSTRAINTS.foreignKey]
const own = Object.values(CONSTRAINTS).filter((words) => !ofSqlite.includes(words))

it.each([...new Set(raised)])('the trigger’s error "%s" has a constraint in the registry', (words) => {
  expect(own.filter((constraint) => words.startsWith(constraint))).toHaveLength(1)
})

it.each(own)('the constraint "%s" is in a trigger', (words) => {
  expect(statements.some((query) => query.includes(words))).toBe(true)
})
