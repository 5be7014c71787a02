import { beforeAll, describe, expect, it } from 'vitest'
import { eachRow } from '../../../support/each-row.ts'
import { beginRun, createLab, type LabStage } from '../../features/lab/support.ts'
import { nameOfRow } from './rows.ts'

// Rule 12, through the service: each row is a run of its own, whose clock the test moves.

/** One request of a row: `GET`, `POST key=…`, and what comes before it. */
interface Step {
  method: string
  /** Below the case: that of a redirect's target. */
  target?: string
  key?: string
  /** Absent: none. */
  body?: string
  /** Milliseconds that pass before it. */
  after?: number
}

interface Row {
  form: string
  to: string
  steps: readonly Step[]
  is: 'pass' | 'fail' | 'info'
  reason?: string | RegExp
  by: string
}

const INPUT = '{"name":"blue"}'
const GET: Step = { method: 'GET' }
const POST: Step = { method: 'POST', body: INPUT }
const PUT: Step = { method: 'PUT', body: INPUT }
/** The same again, after the second that `Retry-After` names. */
const later = (step: Step, after = 1000): Step => ({ ...step, after })
const keyed = (key: string, step: Step = POST): Step => ({ ...step, key })
const atTarget = (step: Step, target = 'target'): Step => ({ ...step, target })
const withBody = (step: Step, body?: string): Step => {
  const { body: _, ...rest } = step
  return body === undefined ? rest : { ...rest, body }
}

const BODY = 'rule 12: each request of a POST case has the body of the first one, which is the input'
const NO_BODY = 'rule 12: another body, or none, is fail'
const NOT_FOLLOWED = 'rule 12: a redirect that is not followed is info (RFC 9110 15.4: MAY)'
const FOLLOWED = 'rule 12: one that is followed wrongly is judged'
const EARLY = 'lab.md: a retry before its time: fail'
const NO_RETRY = 'lab.md: no retry: info'
const WITHOUT_KEY = 'lab.md: a POST repeated without Idempotency-Key: fail'
const OTHER_KEY = 'lab.md: a key that changes: fail'

const LEGAL: readonly Row[] = [
  { to: 'retry/after-seconds', form: 'a retry in time', steps: [GET, later(GET)], is: 'pass', by: 'RFC 9110 10.2.3' },
  { to: 'retry/after-seconds', form: 'no retry', steps: [GET], is: 'info', by: NO_RETRY },
  {
    to: 'retry/after-date',
    form: 'a retry after the date',
    steps: [GET, later(GET, 2000)],
    is: 'pass',
    by: 'RFC 9110 10.2.3',
  },
  {
    to: 'retry/limit-429',
    form: 'a retry after the limit',
    steps: [GET, later(GET, 1500)],
    is: 'pass',
    by: 'RFC 6585 4',
  },
  {
    to: 'retry/not-400',
    form: 'no retry after 400',
    steps: [GET],
    is: 'pass',
    by: 'lab.md: no retry of not-400: pass',
  },
  { to: 'retry/post-once', form: 'POST that is not sent again', steps: [GET, POST], is: 'info', by: NO_RETRY },
  {
    to: 'retry/post-once',
    form: 'POST again with its key and body',
    steps: [GET, keyed('a'), keyed('a')],
    is: 'pass',
    by: BODY,
  },
  {
    to: 'retry/post-once',
    form: 'POST again and again with its key and body',
    steps: [GET, keyed('a'), keyed('a'), keyed('a'), keyed('a')],
    is: 'pass',
    by: BODY,
  },
  {
    to: 'retry/same-key',
    form: 'POST with the key in time',
    steps: [keyed('lab-1'), later(keyed('lab-1'))],
    is: 'pass',
    by: BODY,
  },
  { to: 'retry/same-key', form: 'POST with the key, not again', steps: [keyed('lab-1')], is: 'info', by: NO_RETRY },
  { to: 'redirect/301-get', form: 'GET at the target', steps: [GET, atTarget(GET)], is: 'pass', by: 'RFC 9110 15.4.2' },
  {
    to: 'redirect/303-post',
    form: 'GET without a body at the target',
    steps: [POST, atTarget(GET)],
    is: 'pass',
    by: 'RFC 9110 15.4.4',
  },
  {
    to: 'redirect/307-post',
    form: 'POST with its body at the target',
    steps: [POST, atTarget(POST)],
    is: 'pass',
    by: 'RFC 9110 15.4.8',
  },
  {
    to: 'redirect/308-put',
    form: 'PUT with its body at the target',
    steps: [PUT, atTarget(PUT)],
    is: 'pass',
    by: 'RFC 9110 15.4.9',
  },
  {
    to: 'redirect/relative',
    form: 'a reference that is resolved',
    steps: [atTarget(GET, 'start'), atTarget(GET, 'target?x=1')],
    is: 'pass',
    by: 'RFC 9110 10.2.2',
  },
  {
    to: 'redirect/301-get',
    form: 'GET that does not follow',
    steps: [GET],
    is: 'info',
    reason: 'The redirect was not followed: a client may leave that undone.',
    by: NOT_FOLLOWED,
  },
  {
    to: 'redirect/307-post',
    form: 'POST that does not follow',
    steps: [POST],
    is: 'info',
    reason: 'The redirect was not followed: a client may leave that undone.',
    by: NOT_FOLLOWED,
  },
  {
    to: 'redirect/relative',
    form: 'a reference that is not followed',
    steps: [atTarget(GET, 'start')],
    is: 'info',
    reason: 'The redirect was not followed: a client may leave that undone.',
    by: NOT_FOLLOWED,
  },
]

const ILLEGAL: readonly Row[] = [
  {
    to: 'retry/same-key',
    form: 'a retry that lost its body',
    steps: [keyed('lab-1'), later(keyed('lab-1', withBody(POST)))],
    is: 'fail',
    reason: /body/,
    by: NO_BODY,
  },
  {
    to: 'retry/same-key',
    form: 'a retry with an empty object',
    steps: [keyed('lab-1'), later(keyed('lab-1', withBody(POST, '{}')))],
    is: 'fail',
    by: NO_BODY,
  },
  {
    to: 'retry/same-key',
    form: 'a retry with half of its body',
    steps: [keyed('lab-1'), later(keyed('lab-1', withBody(POST, '{"name":')))],
    is: 'fail',
    by: NO_BODY,
  },
  {
    to: 'retry/same-key',
    form: 'a first request without a body',
    steps: [keyed('lab-1', withBody(POST)), later(keyed('lab-1'))],
    is: 'fail',
    by: BODY,
  },
  {
    to: 'retry/same-key',
    form: 'no request with the input',
    steps: [keyed('lab-1', withBody(POST, '{"name":"red"}')), later(keyed('lab-1', withBody(POST, '{"name":"red"}')))],
    is: 'fail',
    by: BODY,
  },
  {
    to: 'retry/same-key',
    form: 'a body that is not the input, not again',
    steps: [keyed('lab-1', withBody(POST, '{}'))],
    is: 'fail',
    by: BODY,
  },
  {
    to: 'retry/same-key',
    form: 'a retry too early',
    steps: [keyed('lab-1'), later(keyed('lab-1'), 999)],
    is: 'fail',
    by: EARLY,
  },
  {
    to: 'retry/same-key',
    form: 'another key in the retry',
    steps: [keyed('lab-1'), later(keyed('lab-2'))],
    is: 'fail',
    by: 'the row retry/same-key: any key but this, or none, in either request',
  },
  {
    to: 'retry/same-key',
    form: 'no key in the retry',
    steps: [keyed('lab-1'), later(POST)],
    is: 'fail',
    by: 'the row retry/same-key: any key but this, or none, in either request',
  },
  { to: 'retry/post-once', form: 'POST again without a key', steps: [GET, POST, POST], is: 'fail', by: WITHOUT_KEY },
  {
    to: 'retry/post-once',
    form: 'POST again with another key',
    steps: [GET, keyed('a'), keyed('b')],
    is: 'fail',
    by: OTHER_KEY,
  },
  {
    to: 'retry/post-once',
    form: 'POST again without its body',
    steps: [GET, keyed('a'), keyed('a', withBody(POST))],
    is: 'fail',
    reason: /body/,
    by: NO_BODY,
  },
  {
    to: 'retry/post-once',
    form: 'POST without its body in the middle',
    steps: [GET, keyed('a'), keyed('a', withBody(POST)), keyed('a')],
    is: 'fail',
    by: NO_BODY,
  },
  { to: 'retry/post-once', form: 'POST without a body, not again', steps: [GET, withBody(POST)], is: 'fail', by: BODY },
  {
    to: 'retry/after-seconds',
    form: 'a retry after half a second',
    steps: [GET, later(GET, 500)],
    is: 'fail',
    by: EARLY,
  },
  { to: 'retry/after-date', form: 'a retry before the date', steps: [GET, later(GET, 900)], is: 'fail', by: EARLY },
  { to: 'retry/limit-429', form: 'a retry at once', steps: [GET, GET], is: 'fail', by: EARLY },
  {
    to: 'retry/not-400',
    form: 'a retry after 400',
    steps: [GET, later(GET)],
    is: 'fail',
    by: 'the row retry/not-400: a second request: fail',
  },
  {
    to: 'redirect/301-get',
    form: 'POST at the target of GET',
    steps: [GET, atTarget(withBody(POST))],
    is: 'fail',
    by: FOLLOWED,
  },
  {
    to: 'redirect/303-post',
    form: 'POST at the target of 303',
    steps: [POST, atTarget(POST)],
    is: 'fail',
    by: FOLLOWED,
  },
  {
    to: 'redirect/303-post',
    form: 'PUT without content at the target of 303',
    steps: [POST, atTarget(withBody(PUT))],
    is: 'fail',
    by: FOLLOWED,
  },
  { to: 'redirect/307-post', form: 'GET at the target of 307', steps: [POST, atTarget(GET)], is: 'fail', by: FOLLOWED },
  {
    to: 'redirect/307-post',
    form: 'POST without its body at the target',
    steps: [POST, atTarget(withBody(POST))],
    is: 'fail',
    by: FOLLOWED,
  },
  {
    to: 'redirect/307-post',
    form: 'POST with another body at the target',
    steps: [POST, atTarget(withBody(POST, '{}'))],
    is: 'fail',
    by: FOLLOWED,
  },
  { to: 'redirect/308-put', form: 'POST at the target of PUT', steps: [PUT, atTarget(POST)], is: 'fail', by: FOLLOWED },
  {
    to: 'redirect/308-put',
    form: 'PUT without its body at the target',
    steps: [PUT, atTarget(withBody(PUT))],
    is: 'fail',
    by: FOLLOWED,
  },
  {
    to: 'redirect/relative',
    form: 'a reference that lost its query',
    steps: [atTarget(GET, 'start'), atTarget(GET)],
    is: 'fail',
    by: FOLLOWED,
  },
  {
    to: 'redirect/301-get',
    form: 'a target with a query that it does not have',
    steps: [GET, atTarget(GET, 'target?x=1')],
    is: 'fail',
    by: FOLLOWED,
  },
]

describe('rule 12: retries and redirects', () => {
  let stage: LabStage
  beforeAll(() => {
    stage = createLab()
  })

  async function tryRow({ to, steps, is, reason }: Row): Promise<void> {
    const run = await beginRun(stage)
    for (const { method, target, key, body, after = 0 } of steps) {
      stage.clock.ms += after
      const headers = key === undefined ? undefined : { 'Idempotency-Key': key }
      const path = target === undefined ? to : `${to}/${target}`
      // The response to POST of post-once is lost.
      await run
        .call(path, { method, ...(headers && { headers }), ...(body !== undefined && { body }) })
        .catch(() => undefined)
    }
    const result = await run.result(to)
    expect([result.verdict, result.reason, result.requests]).toEqual([is, result.reason, steps.length])
    if (is === 'pass') expect([result.reason, result.at]).toEqual([null, null])
    else expect(result.reason).toMatch(reason ?? /./)
  }

  it('what the rule allows', () => eachRow(LEGAL, tryRow, nameOfRow))
  it('what it does not allow', () => eachRow(ILLEGAL, tryRow, nameOfRow))
})
