import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { guardWrites } from '../../../src/db/guarded-session.ts'

// Which statements get a check in front of them: every write, and no read.

/** Whether a statement was run only after the check. */
async function isChecked(text: string): Promise<boolean> {
  const checks: string[] = []
  const guard = () => {
    checks.push(text)
    return { text: 'select 1', values: [] }
  }
  const session = guardWrites(env.DB.withSession('first-primary'), () => guard)
  await session.batch([session.prepare(text)])
  await session.prepare(text).all()
  expect([0, 2]).toContain(checks.length)
  return checks.length > 0
}

const NOTHING = 'where 1 = 0'

describe('no check precedes', () => {
  it.each([
    'select 1',
    '  SELECT id from planets limit 1',
    'with one as (select 1) select * from one',
    'WITH RECURSIVE n(i) AS (select 1 union all select i + 1 from n where i < 3)\nSELECT i FROM n',
    'with one(a) as materialized (select max(1, (2))), two as (select 2) select * from one, two',
    `with "insert" as (select 'delete (' as a) select a from "insert"`,
    'with one as (select 1) /* update ( */ select * from one -- delete',
  ])('%s', async (text) => {
    expect(await isChecked(text)).toBe(false)
  })
})

describe('a check precedes', () => {
  it.each([
    `delete from planets ${NOTHING}`,
    `with one as (select 1) insert into planets (creator_id) select 1 from one ${NOTHING}`,
    `with one as (select 1) replace into planets (creator_id) select 1 from one ${NOTHING}`,
    `WITH one AS (select 1)\nUPDATE planets set creator_id = 1 ${NOTHING}`,
    `with one as (select 1) delete from planets ${NOTHING} and 1 in (select * from one)`,
    `with "select" as (select 1) delete from planets ${NOTHING}`,
    `with one as (select ') select (' as a) delete from planets ${NOTHING}`,
    `with one as (select 1) -- select\n delete from planets ${NOTHING}`,
    `with one as (select 1) /* select */ delete from planets ${NOTHING}`,
    `-- select\n delete from planets ${NOTHING}`,
  ])('%s', async (text) => {
    expect(await isChecked(text)).toBe(true)
  })
})
