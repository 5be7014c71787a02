import type { ShownResponse } from '../../src/design/shown-request.ts'
import type { ProblemCode } from '../../src/domain/problems.ts'
import type { StepId } from '../../src/site/walk-steps.ts'
import { ADVICE, readProblem } from '../lib/problem.ts'

/** How the tour continues after an error that another attempt at the same step cannot solve. */
export interface Recovery {
  text: string
  button: string
  /** The step from which the tour goes on. Steps before it that are not done are skipped. */
  goTo: StepId
}

const SIGN_UP: Recovery = {
  text: 'Check the e-mail address and the password. If the account does not exist or was deleted, sign up.',
  button: 'Go back to Sign up',
  goTo: 'signup',
}
const NEW_PLANET: Recovery = {
  text: 'Somebody has deleted the planet, or its account. Create another one, and go on from there.',
  button: 'Go back to Create a planet',
  goTo: 'planet',
}
const OWN_PLANET: Recovery = {
  text: 'The planet belongs to another account than the one that is signed in. Create one for this account.',
  button: 'Go back to Create a planet',
  goTo: 'planet',
}
const NEW_INBOX: Recovery = {
  text: 'The inbox is gone. Inboxes are deleted after 24 hours, or earlier if there are too many. Create another one, and go on from there.',
  button: 'Go back to Create an inbox',
  goTo: 'inbox',
}

const OF_PLANET = { forbidden: OWN_PLANET, 'not-found': NEW_PLANET }

const RECOVERIES: Readonly<Partial<Record<StepId, Readonly<Partial<Record<ProblemCode, Recovery>>>>>> = {
  signup: {
    'signup-closed': {
      text: ADVICE['signup-closed'],
      button: 'Use an existing account',
      goTo: 'token',
    },
    conflict: {
      text: 'If the account is yours, sign in with it. Otherwise choose another address.',
      button: 'Use this account',
      goTo: 'token',
    },
  },
  token: { unauthorized: SIGN_UP },
  picture: OF_PLANET,
  update: OF_PLANET,
  conflict: OF_PLANET,
  explode: OF_PLANET,
  created: { 'not-found': NEW_INBOX },
  exploded: { 'not-found': NEW_INBOX },
  live: { 'not-found': NEW_INBOX },
}

/** How the tour continues after an error of a step; undefined if another attempt may help. */
export function findRecovery(step: StepId, response: Pick<ShownResponse, 'status' | 'text'>): Recovery | undefined {
  const { code = '' } = readProblem(response)
  const recoveries: Readonly<Record<string, Recovery | undefined>> = RECOVERIES[step] ?? {}
  return Object.hasOwn(recoveries, code) ? recoveries[code] : undefined
}
