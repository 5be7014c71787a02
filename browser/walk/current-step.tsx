import { useRef } from 'hono/jsx/dom'
import { type StepId, WALK_STEPS } from '../../src/site/walk-steps.ts'
import { loadSession } from '../lib/session.ts'
import { Fields } from './fields.tsx'
import { PictureField } from './picture-field.tsx'
import { StepFailure } from './step-failure.tsx'
import { type Activity, elementIdOf, type Walk } from './use-walk.ts'

const BUTTONS: Readonly<Record<StepId, string>> = {
  signup: 'Sign up',
  token: 'Get a token',
  inbox: 'Create the inbox',
  planet: 'Create the planet',
  picture: 'Upload the picture',
  created: 'Look into the inbox',
  verify: 'Get the secret and verify',
  update: 'Read, then update',
  conflict: 'Update with the old ETag',
  fault: 'Ask for a 503',
  explode: 'Explode the planet',
  exploded: 'Look into the inbox',
  live: 'Create a planet and listen',
}

interface CurrentStepProps {
  index: number
  step: StepId
  walk: Walk
}

/** The current step: its description, its fields, its button, and an error if it failed. */
export function CurrentStep({ index, step, walk }: CurrentStepProps) {
  const file = useRef<File | null>(null)
  function submit(event: Event) {
    event.preventDefault()
    void walk.perform(step, file.current ?? undefined)
  }
  const keepFile = (chosen: File | undefined) => {
    file.current = chosen ?? null
  }
  return (
    <>
      <h2 class="step-title" id={elementIdOf(step)} tabIndex={-1}>
        <span class="step-number">{index + 1}</span> {WALK_STEPS[index]?.title}
      </h2>
      <p class="step-why">{WALK_STEPS[index]?.why}</p>
      <form key={step} onSubmit={submit}>
        <Fields key="fields" step={step} inputs={walk.state.inputs} keep={walk.keep} />
        {step === 'picture' && <PictureField key="picture" name={walk.state.inputs.name} keep={keepFile} />}
        <button
          key="button"
          type="submit"
          class={step === 'explode' ? 'danger' : ''}
          aria-disabled={walk.activity ? 'true' : 'false'}
        >
          {BUTTONS[step]}
        </button>
        {step === 'signup' && !walk.activity && <ExistingAccounts key="others" walk={walk} />}
        <ShownActivity key="activity" activity={walk.activity} />
      </form>
      <StepFailure step={step} walk={walk} />
    </>
  )
}

/** Buttons for people who already have an account. */
function ExistingAccounts({ walk }: { walk: Walk }) {
  const session = loadSession()
  function goOnWith(email: string, step: StepId) {
    // The suggested password is not that of an existing account.
    walk.keep({ email, password: '' })
    walk.goTo(step)
  }
  return (
    <>
      {session && (
        <button key="session" type="button" class="secondary" onClick={() => goOnWith(session.email, 'inbox')}>
          Go on as {session.email}
        </button>
      )}
      <button key="token" type="button" class="secondary" onClick={() => goOnWith('', 'token')}>
        Use an existing account
      </button>
    </>
  )
}

function ShownActivity({ activity }: { activity: Activity | undefined }) {
  const { text, sent, total } = activity ?? {}
  return (
    <div class="activity">
      {sent !== undefined && (
        <div key="progress" class="row upload">
          <progress value={sent} max={total} aria-label="Picture sent" />
          <span>
            {toKiB(sent)} of {toKiB(total ?? 0)} KiB
          </span>
        </div>
      )}
      <p key="text" role="status">
        {text}
      </p>
    </div>
  )
}

const toKiB = (bytes: number) => Math.ceil(bytes / 1024).toLocaleString('en')
