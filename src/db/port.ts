// The door of the database: what other folders import, besides the tables and the constraints. README.md says how a
// query and a write are made.

// biome-ignore-start lint/performance/noBarrelFile: one door, so that no other folder depends on what is behind it
export { openD1 } from './d1.ts'
export { costOf, createMeter, type Meter, meterDatabase } from './meter.ts'
export { type Nested, rowIfAny, rowOf, rowsOf, together } from './nested.ts'
export {
  build,
  type Placeholders,
  prepare,
  type Query,
  type ReadQuery,
  type ResultOf,
  type Results,
  type Value,
} from './query.ts'
export { type Database, openSession, type Session, type WorldDatabase, type WriteGuard } from './session.ts'
export {
  ANY_STATE,
  aroundRuns,
  type Outcome,
  type RoundTrip,
  type SessionStart,
  type Sqlite,
  type SqliteDatabase,
  type Statement,
} from './sqlite.ts'
export { news, write, writeInSteps, writeParts } from './write.ts'
// biome-ignore-end lint/performance/noBarrelFile: one door
