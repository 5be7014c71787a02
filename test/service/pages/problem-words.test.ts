import { describe, expect, it } from 'vitest'
import { adviseOn, describeProblem, readProblem } from '../../../browser/lib/problem.ts'
import { findRecovery } from '../../../browser/walk/recovery.ts'
import type { Fault, ProblemCode } from '../../../src/domain/problems.ts'

// What the pages say about a refusal.

function refuse(status: number, code: ProblemCode, detail: string, ...errors: Fault[]) {
  const type = `http://localhost:8787/problems/${code}`
  return { status, headers: [], text: JSON.stringify({ type, status, detail, ...(errors.length > 0 && { errors }) }) }
}

const SIGNUP_CLOSED = refuse(403, 'signup-closed', 'This deployment does not accept new accounts.')
const LIMIT_REACHED = refuse(403, 'account-limit-reached', 'An account can have at most 1000 planets.')
const SUSPENDED = refuse(
  403,
  'account-suspended',
  'This account is suspended. Ask the operator of the service to end the suspension.',
)
const NOT_OWN = refuse(403, 'forbidden', 'Only the creator of a planet can change it.')
const WRONG_PASSWORD = refuse(403, 'forbidden', 'The password is wrong.', {
  pointer: '/password',
  detail: 'is not the password of this account',
})
const TAKEN = refuse(409, 'conflict', 'An account with this e-mail address already exists.', {
  pointer: '/email',
  detail: 'already belongs to an account',
})
const INVALID = refuse(400, 'invalid-body', 'The body has missing or invalid members.', {
  pointer: '/name',
  detail: 'must have 1 to 200 characters',
})

describe('a refusal comes with advice', () => {
  it.each([
    ['the address has an account', TAKEN, 'Sign in instead.'],
    ['something has changed', refuse(409, 'conflict', 'It is not due.'), 'Look at what is there now, then try again.'],
    ['sign-ups are closed', SIGNUP_CLOSED, 'You can sign in if you have an account.'],
    ['the account is suspended', SUSPENDED, 'Until then, use another account.'],
    ['the account is full', LIMIT_REACHED, 'Delete something, then try again.'],
    [
      'the universe is full',
      refuse(403, 'universe-limit', ''),
      'Delete something, or reset the universe, then try again.',
    ],
    ['there are no universes', refuse(403, 'universes-off', ''), 'Ask the operator, or run Galaxy yourself.'],
    ['the universe has ended', refuse(410, 'universe-ended', ''), 'Make a new universe.'],
    ['a scope is missing', refuse(403, 'insufficient-scope', ''), 'Use a token or an API key that has this scope.'],
    ['the planet is not theirs', NOT_OWN, 'This account may not do this. Use another account.'],
    ['a password is wrong', WRONG_PASSWORD, 'Correct the password, then try again.'],
    ['a member is invalid', INVALID, 'Change what you sent, then try again.'],
    ['nothing is there', refuse(404, 'not-found', ''), 'Go back and choose another one.'],
    ['the service has a fault', refuse(500, 'internal-error', ''), /fault of the service/],
    ['the session has ended', refuse(401, 'unauthorized', ''), /^Sign in again\./],
    ['it is no problem document', { status: 400, headers: [], text: '<p>' }, 'Change what you sent, then try again.'],
  ])('if %s', (_, response, advice) => expect(adviseOn(response)).toMatch(advice))

  it('after too many requests says how long to wait', () => {
    const response = refuse(429, 'too-many-requests', 'There were too many attempts.')
    expect(adviseOn({ ...response, headers: [['retry-after', '37']] })).toBe('Wait 37 seconds, then try again.')
  })
})

describe('a refusal is described', () => {
  const describeIt = (response: { status: number; text: string }) => describeProblem(readProblem(response))

  it('without repeating itself', () => {
    expect(describeIt(WRONG_PASSWORD)).toBe('The password is wrong.')
    expect(describeIt(TAKEN)).toBe('An account with this e-mail address already exists.')
  })

  it('with what is wrong with each member', () => {
    const text = 'The body has missing or invalid members. name: must have 1 to 200 characters.'
    expect(describeIt(INVALID)).toBe(text)
  })

  it('also if it is no problem document', () => {
    expect(describeIt({ status: 502, text: '<p>' })).toBe('The service responded with status 502.')
  })
})

it('the walk offers another planet only if the planet is the reason', () => {
  expect(findRecovery('picture', NOT_OWN)?.text).toMatch(/belongs to another account/)
  expect(findRecovery('picture', LIMIT_REACHED)).toBeUndefined()
  expect(findRecovery('update', SUSPENDED)).toBeUndefined()
  expect(findRecovery('signup', SIGNUP_CLOSED)?.goTo).toBe('token')
})
