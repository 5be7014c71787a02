import type { Child } from 'hono/jsx'
import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Universe } from '../../src/schemas/universe.ts'
import { call } from '../lib/api.ts'
import { linkTo, urlOf } from '../lib/base.ts'
import { Confirmation } from '../lib/dialog.tsx'
import { Failure } from '../lib/failure.tsx'
import { useLoaded } from '../lib/load.ts'
import { authorization, loadSession } from '../lib/session.ts'
import { formatTime } from '../lib/when.tsx'
import { describeEnd } from './end-words.ts'
import { noteReset } from './owner.ts'
import { type Role, readRole } from './role.ts'

/** How often the sentence about the end is updated. */
const REFRESH_MS = 30_000

/**
 * The part of a universe's bar that is only known in the browser: when the universe ends, and what the user can do.
 *
 * @param isFixed Whether the owner has fixed the end
 */
export function UniverseState({ isFixed }: { isFixed: boolean }) {
  const universe = useLoaded<Universe>(() => call({ method: 'GET', url: urlOf('/universe'), headers: [] }), [])
  const role = useLoaded<Role>(readRole, [])
  const failure = universe.error ?? role.error
  return (
    <>
      {universe.data && <End universe={universe.data} isFixed={isFixed} />}
      {failure !== undefined && <Failure error={failure} />}
      {role.data === 'owner' && <Reset />}
      {role.data === 'expired' && <a href={linkTo('/account')}>Sign in to reset it</a>}
    </>
  )
}

/** The sentence is updated from time to time, but without a request, because each request moves the end. */
function End({ universe, isFixed }: { universe: Universe; isFixed: boolean }) {
  const [now, setNow] = useState(Date.now)
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <p>
      <time datetime={universe.expiresAt} title={formatTime(universe.expiresAt)}>
        {describeEnd(universe, isFixed, now)}
      </time>
    </p>
  )
}

function Reset() {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" class="secondary small" onClick={() => setAsking(true)}>
        Reset
      </button>
      {isAsking && (
        <Confirmation title="Reset this universe?" verb="Reset it" onConfirm={reset} onClose={() => setAsking(false)}>
          <Consequences />
        </Confirmation>
      )}
    </>
  )
}

function Consequences(): Child {
  return (
    <>
      <p>Everything goes back to the beginning: planets, images, users, applications, subscriptions and inboxes.</p>
      <p>The owner’s account stays as it is, with its password, its tokens and its API keys.</p>
    </>
  )
}

/** Resets the universe, then loads the page again, because it shows what was there before. */
async function reset(): Promise<void> {
  const session = loadSession()
  const headers = session ? [authorization(session)] : []
  await call({ method: 'POST', url: urlOf('/universe/reset'), headers })
  if (session) noteReset(session)
  location.reload()
}
