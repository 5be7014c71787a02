import type { StepId } from '../../src/site/walk-steps.ts'

/** How the walk goes on after a refusal that pressing the button again cannot change. */
export interface Recovery {
  text: string
  button: string
  /** The step to go on from. If it is a later one, the steps before it are skipped. */
  goTo: StepId
}

const SIGN_UP: Recovery = {
  text: 'Check both. If there is no such account, or not any more, sign up.',
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

const OF_PLANET = { 403: OWN_PLANET, 404: NEW_PLANET }

/** What to do about a status at a step. */
export const RECOVERIES: Readonly<Partial<Record<StepId, Readonly<Record<number, Recovery>>>>> = {
  signup: {
    403: {
      text: 'If you have an account, sign in with it.',
      button: 'Use an existing account',
      goTo: 'token',
    },
    409: {
      text: 'If the account is yours, sign in with it. Otherwise choose another address.',
      button: 'Use this account',
      goTo: 'token',
    },
  },
  token: { 401: SIGN_UP },
  picture: OF_PLANET,
  update: OF_PLANET,
  conflict: OF_PLANET,
  explode: OF_PLANET,
  created: { 404: NEW_INBOX },
  exploded: { 404: NEW_INBOX },
}
