import type { StepId } from '../../src/site/walk-steps.ts'
import { CallFailed } from '../lib/api.ts'
import { Exchange } from '../lib/exchange.tsx'
import { Failure } from '../lib/failure.tsx'
import { findRecovery } from './recovery.ts'
import { SignInAgain } from './sign-in-again.tsx'
import type { Walk } from './use-walk.ts'

/** The error at the current step: what went wrong, how to continue, and the response of the service. */
export function StepFailure({ step, walk }: { step: StepId; walk: Walk }) {
  const { failure, state } = walk
  if (failure === undefined) return null
  const response = failure instanceof CallFailed ? failure.response : undefined
  const recovery = response && findRecovery(step, response)
  // At the step `token`, a 401 means that the credentials are wrong.
  const isSignedOut = response?.status === 401 && step !== 'token'
  const refused = state.refused.at(-1)
  return (
    <div class="step-failure">
      {recovery && failure instanceof CallFailed ? (
        <Failure key="recoverable" error={new CallFailed(failure.message, recovery.text, response)} />
      ) : (
        <Failure key="failure" error={failure} />
      )}
      {recovery && (
        <button key="recover" type="button" class="secondary" onClick={() => walk.goTo(recovery.goTo)}>
          {recovery.button}
        </button>
      )}
      {isSignedOut && <SignInAgain key="sign-in" walk={walk} />}
      {refused && <Exchange key="exchange" {...refused} />}
    </div>
  )
}
