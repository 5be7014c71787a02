import { memo, useState } from 'hono/jsx/dom'
import { WALK_STEPS } from '../../src/site/walk-steps.ts'
import { Exchange, StatusBadge } from '../lib/exchange.tsx'
import { Arrivals } from './arrivals.tsx'
import type { Result, WalkState } from './state.ts'
import { elementIdOf } from './use-walk.ts'
import { Verification } from './verification.tsx'

interface DoneStepProps {
  index: number
  result: Result
  results: WalkState['results']
  isOpen: boolean
}

/** A step that is done. It stays readable. It is drawn again only if a step has ended, not while the person types. */
export const DoneStep = memo(function DoneStep({ index, result, results, isOpen }: DoneStepProps) {
  const step = WALK_STEPS[index]
  const { exchanges, note } = result
  const last = exchanges.at(-1)
  const next = WALK_STEPS[index + 1]
  if (!step) return null
  return (
    <details open={isOpen}>
      <summary id={elementIdOf(step.id)}>
        <h2 class="step-title">
          <span class="step-number">{index + 1}</span> {step.title}
        </h2>
        {last ? <StatusBadge status={last.response.status} /> : <span class="badge">skipped</span>}
      </summary>
      <p class="step-why">{step.why}</p>
      <p class="notice good">{note}</p>
      {isOpen && next && (
        <p>
          <a href={`#${elementIdOf(next.id)}`}>Go on: {next.title}</a>
        </p>
      )}
      <Finding result={result} results={results} />
      {exchanges.map((exchange, position) => (
        <div key={position} class={exchanges.length > 1 ? 'one-of-many' : ''}>
          {exchanges.length > 1 && (
            <p class="eyebrow">
              Call {position + 1} of {exchanges.length}
            </p>
          )}
          <Exchange {...exchange} />
        </div>
      ))}
    </details>
  )
})

/**
 * The findings of a step besides its response: the ways in which an event has arrived, the picture, or an event whose
 * signature can be verified. The step that gets the secret verifies `planetCreated`, and a later step `planetExploded`.
 */
function Finding({ result, results }: Pick<DoneStepProps, 'result' | 'results'>) {
  const { imagePath, secret, exploded, arrivals } = result.facts
  if (arrivals) return <Arrivals arrivals={arrivals} />
  // The explosion has deleted the picture.
  if (imagePath && !results.explode) return <Uploaded path={imagePath} />
  const event = secret ? results.created?.facts.created : exploded
  const knownSecret = results.verify?.facts.secret
  return event && knownSecret ? <Verification event={event} secret={knownSecret} /> : null
}

/** The picture as the service sends it. If somebody has deleted the planet, the picture is gone too. */
function Uploaded({ path }: { path: string }) {
  const [isGone, setGone] = useState(false)
  if (isGone) return <p class="hint">The picture is not there any more.</p>
  return <img class="uploaded" src={path} alt="The planet, as uploaded" onError={() => setGone(true)} />
}
