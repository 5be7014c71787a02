import type { Services } from '../services.ts'
import { CREATE_UNIVERSE_ID, UNIVERSE_OUTCOME_ID } from './universe-offer-ids.ts'

export function offersUniverses({ config, universes }: Pick<Services, 'config' | 'universes'>): boolean {
  return config.universesOn && universes !== undefined
}

/** The button that creates a universe. Its script is browser/universe/offer.tsx, which also needs `UniverseOutcome`. */
export function CreateUniverse() {
  return (
    <button type="button" class="secondary needs-script" id={CREATE_UNIVERSE_ID}>
      Create your own universe
    </button>
  )
}

/** The outcome of the creation. The element exists from the start, because screen readers announce only its changes. */
export function UniverseOutcome() {
  return <div role="status" class="universe-outcome" id={UNIVERSE_OUTCOME_ID} />
}
