import { render } from 'hono/jsx/dom'
import type { CreatedUniverse } from '../../src/schemas/universe.ts'
import { CREATE_UNIVERSE_ID, UNIVERSE_OUTCOME_ID } from '../../src/site/universe-offer-ids.ts'
import { call } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { Failure } from '../lib/failure.tsx'
import { enterAsOwner, type Owner, ownerOf } from './owner.ts'
import { OwnerPanel } from './owner-panel.tsx'

/**
 * Adds the behaviour to the button that creates a universe, if the page has it. A click creates the universe, and opens
 * it with its owner signed in.
 *
 * @param path The page of the universe that opens
 */
export function startOffer(path: '/' | '/walk'): void {
  const button = document.getElementById(CREATE_UNIVERSE_ID)
  const outcome = document.getElementById(UNIVERSE_OUTCOME_ID)
  if (!button || !outcome) return
  let isBusy = false
  button.addEventListener('click', async () => {
    if (isBusy) return
    isBusy = true
    button.ariaDisabled = 'true'
    render(<p class="hint">Creating your universe …</p>, outcome)
    render(await create(path), outcome)
    button.ariaDisabled = 'false'
    isBusy = false
  })
}

async function create(path: string) {
  let owner: Owner
  try {
    const universe: CreatedUniverse = await call({ method: 'POST', url: urlOf('/universes'), headers: [] })
    owner = ownerOf(universe)
  } catch (error) {
    return <Failure error={error} />
  }
  const page = owner.url + path
  if (!enterAsOwner(owner, location.href)) return <Created owner={owner} page={page} />
  location.assign(page)
  return (
    <p class="notice good">
      Your universe is ready: <a href={page}>{owner.url}</a>
    </p>
  )
}

/** Shown if the browser cannot pass the account on to the pages of the universe. */
function Created({ owner, page }: { owner: Owner; page: string }) {
  return (
    <OwnerPanel owner={owner}>
      <p>Your browser cannot sign you in there, so copy the account before you open the universe.</p>
      <p>
        <a class="button" href={page}>
          Open the universe
        </a>
      </p>
    </OwnerPanel>
  )
}
