import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { StepId } from '../../src/site/walk-steps.ts'
import { CallFailed, explainRefusal } from '../lib/api.ts'
import { DEEDS } from './deeds.ts'
import { Run } from './run.ts'
import {
  currentStep,
  factsOf,
  finish,
  type Inputs,
  loadWalk,
  newWalk,
  rewind,
  STEP_IDS,
  saveWalk,
  type WalkState,
} from './state.ts'

/** The progress of the current step. */
export interface Activity {
  text: string
  /** How much of a picture has been sent, in bytes. */
  sent?: number
  total?: number
}

/** The id of the element that stands for a step. It gets the focus when the step has begun or ended. */
export const elementIdOf = (step: StepId) => `step-${step}`

/** The tour of this tab, and the actions of the user. */
export function useWalk() {
  const [state, setState] = useState(loadWalk)
  // A call ends long after the rendering in which it began, and the person may have typed since.
  const latest = useRef(state)
  const [activity, setActivity] = useState<Activity | undefined>(undefined)
  const [failure, setFailure] = useState<unknown>(undefined)
  const run = useRef<Run | null>(null)
  const focusOn = useFocus()

  /** @param step The step that gets the focus */
  function change(alter: (walk: WalkState) => WalkState, step?: StepId) {
    const next = alter(latest.current ?? state)
    latest.current = next
    saveWalk(next)
    if (step) focusOn(step)
    setState(next)
  }

  /** Ends the run of the current step, if there is one. */
  function leave() {
    run.current?.stop()
    run.current = null
    setActivity(undefined)
    setFailure(undefined)
  }

  /** Runs the current step, unless it is running already. */
  async function perform(step: StepId, file?: File) {
    if (run.current) return
    forgetFailure()
    setActivity({ text: 'Waiting for the response …' })
    const mine = new Run(state.inputs, factsOf(state), {
      ...(file && { file }),
      say: (text) => isCurrent() && setActivity({ text }),
      onProgress: (sent, total) => isCurrent() && setActivity(describeProgress(sent, total)),
    })
    const isCurrent = () => run.current === mine
    run.current = mine
    const outcome = await attempt(step, mine)
    if (!isCurrent()) return
    leave()
    if ('error' in outcome) {
      const refused = isRefusal(outcome.error) ? mine.exchanges : []
      change((walk) => ({ ...walk, refused }))
      setFailure(outcome.error)
    } else change((walk) => finish(walk, step, { exchanges: mine.exchanges, facts: {}, ...outcome }), step)
  }

  /** Goes back to a step, or on to a later one without the steps before it. */
  function goTo(step: StepId) {
    leave()
    change((walk) => skipTo(rewind(walk, step), step), step)
  }

  function forgetFailure() {
    setFailure(undefined)
    change((walk) => ({ ...walk, refused: [] }))
  }

  return {
    state,
    activity,
    failure: failure ?? explainRefused(state),
    perform,
    goTo,
    keep: (inputs: Partial<Inputs>) => change((walk) => ({ ...walk, inputs: { ...walk.inputs, ...inputs } })),
    forgetFailure,
    startAgain: () => {
      leave()
      change(newWalk, 'signup')
    },
  }
}

export type Walk = ReturnType<typeof useWalk>

/** Moves the focus after the next rendering, because the rendering removes the element that has the focus. */
function useFocus() {
  const wanted = useRef<StepId | null>(null)
  useLayoutEffect(() => {
    if (!wanted.current) return
    const element = document.getElementById(elementIdOf(wanted.current))
    wanted.current = null
    element?.focus({ preventScroll: true })
    element?.scrollIntoView({ block: 'start' })
  })
  return (step: StepId) => {
    wanted.current = step
  }
}

async function attempt(step: StepId, run: Run) {
  try {
    return await DEEDS[step](run)
  } catch (error) {
    return { error }
  }
}

const isRefusal = (error: unknown) => error instanceof CallFailed && error.response !== undefined

/** Why the service has refused the current step, also after a reload. */
function explainRefused({ refused }: WalkState): CallFailed | undefined {
  const response = refused.at(-1)?.response
  return response && explainRefusal(response)
}

function skipTo(walk: WalkState, step: StepId): WalkState {
  const skipped = STEP_IDS.slice(0, STEP_IDS.indexOf(step)).filter((id) => !walk.results[id])
  const result = {
    exchanges: [],
    facts: {},
    note: 'You have skipped this step, because you use an account that exists.',
  }
  return skipped.reduce((next, id) => finish(next, id, result), walk)
}

function describeProgress(sent: number, total: number): Activity {
  const text = sent < total ? 'Sending the picture …' : 'The picture is sent. Waiting for the response …'
  return { text, sent, total }
}

/** The number of steps that are done or skipped. */
export function countDone(walk: WalkState): number {
  const current = currentStep(walk)
  return current ? STEP_IDS.indexOf(current) : STEP_IDS.length
}
