import { WALK_STEPS } from '../../src/site/walk-steps.ts'
import { linkTo } from '../lib/base.ts'
import { CurrentStep } from './current-step.tsx'
import { DoneStep } from './done-step.tsx'
import { currentStep, latestStep } from './state.ts'
import { countDone, useWalk } from './use-walk.ts'

/** All steps: those that are done, the current one, and those to come. */
export function WalkApp() {
  const walk = useWalk()
  const { results } = walk.state
  const current = currentStep(walk.state)
  const latest = latestStep(walk.state)
  const done = countDone(walk.state)
  return (
    <>
      <div class="walk-bar">
        <p role="status">
          {done} of {WALK_STEPS.length} steps are done.
        </p>
        <progress value={done} max={WALK_STEPS.length} aria-label="Progress of the tour" />
        <button type="button" class="secondary small" onClick={walk.startAgain}>
          Start again
        </button>
      </div>
      <ol class="steps">
        {WALK_STEPS.map((step, index) => {
          const result = results[step.id]
          return (
            <li key={step.id} class={result ? 'step' : step.id === current ? 'step current' : 'step later'}>
              {result ? (
                <DoneStep key="done" index={index} result={result} results={results} isOpen={step.id === latest} />
              ) : step.id === current ? (
                <CurrentStep key="current" index={index} step={step.id} walk={walk} />
              ) : (
                <h2 key="later" class="step-title">
                  <span class="step-number">{index + 1}</span> {step.title}
                </h2>
              )}
            </li>
          )
        })}
      </ol>
      {!current && <End />}
    </>
  )
}

function End() {
  return (
    <section class="panel">
      <h2 class="end">That was the tour</h2>
      <p>What you can do now:</p>
      <ul>
        <li>
          <a href={linkTo('/account')}>See the deliveries in your account</a>, with every attempt of the service.
        </li>
        <li>
          <a href={linkTo('/')}>Look at the planets that are real.</a>
        </li>
        <li>
          <a href={linkTo('/docs/events')}>Read about all live events</a>, and connect to a channel.
        </li>
        <li>
          <a href={linkTo('/docs')}>Read about all operations</a>, and try them.
        </li>
        <li>
          <a href={linkTo('/lab')}>Let the laboratory judge your API client</a>, case by case.
        </li>
        <li>
          <a href={linkTo('/docs#tag/universes')}>Test your tool in a universe</a>, a world for you alone.
        </li>
      </ul>
    </section>
  )
}
