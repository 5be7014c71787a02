import type { ShownRequest, ShownResponse } from '../../src/design/shown-request.ts'
import { type StepId, WALK_STEPS } from '../../src/site/walk-steps.ts'
import { randomHex } from '../lib/random-hex.ts'
import { readStored, store } from '../lib/storage.ts'

// The progress of the tour, which the code calls a walk. It is in the session storage, so that a reload shows the same.

/** The number is the version of the stored form. A page does not read walks of other versions. */
const KEY = 'walk.1'
/**
 * The maximum length of a stored response, in characters. The session storage of a tab has room for about five million.
 */
const KEPT_TEXT_MAX = 50_000

export interface Exchanged {
  request: ShownRequest
  response: ShownResponse
}

/** A call that has arrived in the inbox. */
export interface ReceivedEvent {
  id: string
  timestamp: string
  /** The value of webhook-signature. */
  signature: string
  /** The first 8 KiB. */
  body: string
  isTruncated: boolean
}

/** How an event has reached the page, and the id that it had there. */
export interface Arrival {
  /** The transport, and where the page listened. */
  way: string
  /** The member or header that contains the id. */
  place: string
  id: string
}

/** The findings of steps. Later steps use them, or the page shows them. */
export interface Facts {
  inboxId?: string
  inboxUrl?: string
  planetId?: number
  imagePath?: string
  created?: ReceivedEvent
  secret?: string
  oldETag?: string
  exploded?: ReceivedEvent
  arrivals?: readonly Arrival[]
}

export interface Result {
  /** Empty if the person has skipped the step. */
  exchanges: readonly Exchanged[]
  facts: Facts
  /** What the person should notice about the result. */
  note: string
}

/** What the person can type. At first, it is what the page suggests. */
export interface Inputs {
  email: string
  password: string
  /** The password that the page has made up. It protects nothing, so the page keeps and shows it. */
  suggestedPassword: string
  name: string
  description: string
  update: string
}

export interface WalkState {
  inputs: Inputs
  results: Readonly<Partial<Record<StepId, Result>>>
  /** The exchanges of the current step, if the service has refused the last of them. */
  refused: readonly Exchanged[]
}

export const STEP_IDS: readonly StepId[] = WALK_STEPS.map(({ id }) => id)

/** A walk that has not begun, with an account that nobody has. */
export function newWalk(): WalkState {
  const password = randomHex(12)
  const inputs = {
    email: `explorer-${randomHex(8)}@example.com`,
    password,
    suggestedPassword: password,
    name: 'Arrakis',
    description: 'A desert planet, the only source of spice.',
    update: 'Also known as Dune.',
  }
  return { inputs, results: {}, refused: [] }
}

export function loadWalk(): WalkState {
  const text = readStored(KEY)
  return text === null ? newWalk() : JSON.parse(text)
}

/** Stores the walk, but no password that somebody has typed. */
export function saveWalk(walk: WalkState): void {
  const { inputs } = walk
  const password = isSuggested(inputs) ? inputs.password : ''
  store(KEY, JSON.stringify({ ...walk, inputs: { ...inputs, password } }))
}

/** Whether the password is the one that the page has made up. */
export function isSuggested({ password, suggestedPassword }: Inputs): boolean {
  return password === suggestedPassword
}

/** The step that is next; undefined if all are done. */
export function currentStep({ results }: WalkState): StepId | undefined {
  return STEP_IDS.find((id) => !results[id])
}

/** The step that was done last; undefined if there is none. */
export function latestStep({ results }: WalkState): StepId | undefined {
  return STEP_IDS.findLast((id) => results[id])
}

export function factsOf({ results }: WalkState): Facts {
  return Object.assign({}, ...STEP_IDS.map((id) => results[id]?.facts))
}

export function finish(walk: WalkState, step: StepId, result: Result): WalkState {
  return { ...walk, results: { ...walk.results, [step]: result }, refused: [] }
}

/** The walk as it was before a step. What the person has typed stays. */
export function rewind(walk: WalkState, step: StepId): WalkState {
  const kept: readonly string[] = STEP_IDS.slice(0, STEP_IDS.indexOf(step))
  const results = Object.fromEntries(Object.entries(walk.results).filter(([id]) => kept.includes(id)))
  return { ...walk, results, refused: [] }
}

/** Shortens a response that is too long to keep. */
export function shortenResponse(response: ShownResponse): ShownResponse {
  const { text } = response
  if (text.length <= KEPT_TEXT_MAX) return response
  return {
    ...response,
    text: `${text.slice(0, KEPT_TEXT_MAX)}\n[The page shows no more than this of ${text.length} characters.]`,
  }
}
