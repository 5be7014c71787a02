import { useEffect, useMemo, useState } from 'hono/jsx/dom'
import { usePresence } from '../lib/load.ts'
import { endSession, loadSession } from '../lib/session.ts'
import { makeAccess, ProvideAccess } from './access.ts'
import { Applications } from './applications.tsx'
import { Deliveries } from './deliveries.tsx'
import { Delivery } from './delivery.tsx'
import { Inbox } from './inbox.tsx'
import { Inboxes } from './inboxes.tsx'
import { Keys } from './keys.tsx'
import { Profile } from './profile.tsx'
import { hashOf, SECTIONS, type Section, type Selection } from './selection.ts'
import { SignIn, SignInAgain } from './sign-in.tsx'
import { Subscriptions } from './subscriptions.tsx'
import { focusHeading, HEADING_PROPS, useSelection } from './use-selection.ts'

/** The page: the form to sign in, or the account. */
export function Account() {
  const [email, setEmail] = useState(() => loadSession()?.email)
  const [hasJustSignedIn, setJustSignedIn] = useState(false)
  const [notice, setNotice] = useState<string | undefined>(undefined)
  const end = (farewell: string) => {
    endSession()
    setNotice(farewell)
    setEmail(undefined)
  }
  const begin = () => {
    setJustSignedIn(true)
    setEmail(loadSession()?.email)
  }
  if (email === undefined) return <SignIn notice={notice} onSignedIn={begin} />
  return <SignedIn key={email} email={email} hasJustSignedIn={hasJustSignedIn} onEnd={end} />
}

interface SignedInProps {
  email: string
  /** Whether the person has signed in since the page was loaded. Then the focus was in the form, which is gone. */
  hasJustSignedIn: boolean
  /** @param farewell What has happened */
  onEnd(farewell: string): void
}

function SignedIn({ email, hasJustSignedIn, onEnd }: SignedInProps) {
  const [isExpired, setExpired] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [signIns, setSignIns] = useState(1)
  const isPresent = usePresence()
  const access = useMemo(() => makeAccess(email, signIns, { onExpired: expire, onReplaced: reloadPage }), [signIns])
  const selection = useSelection()
  function expire() {
    setExpired(true)
    setAsking(true)
  }
  function reloadPage() {
    // If the component is gone, the user has signed out on this page. Then it shows no account, and needs no reload.
    if (isPresent.current) location.reload()
  }
  useEffect(() => {
    if (hasJustSignedIn) focusHeading()
  }, [])
  const renew = () => {
    setExpired(false)
    setAsking(false)
    setSignIns(signIns + 1)
  }
  const signOut = () => onEnd('You are signed out.')
  return (
    <ProvideAccess value={access}>
      <AccountHeader email={email} onSignOut={signOut} />
      <Sections current={selection.section} />
      {isExpired && (
        <p class="notice">
          Your session has ended.{' '}
          <button type="button" class="link" onClick={() => setAsking(true)}>
            Sign in again
          </button>
        </p>
      )}
      <section aria-labelledby={HEADING_PROPS.id}>
        <Content selection={selection} onEnd={onEnd} onRenewed={renew} />
      </section>
      {isAsking && (
        <SignInAgain email={email} onSignedIn={renew} onClose={() => setAsking(false)} onSignOut={signOut} />
      )}
    </ProvideAccess>
  )
}

function AccountHeader({ email, onSignOut }: { email: string; onSignOut(): void }) {
  return (
    <div class="account-header">
      <h1>Your account</h1>
      <p>
        Signed in as <strong>{email}</strong>{' '}
        <button type="button" class="secondary small" onClick={onSignOut}>
          Sign out
        </button>
      </p>
    </div>
  )
}

function Sections({ current }: { current: Section }) {
  return (
    <nav class="sections" aria-label="Account">
      {Object.entries(SECTIONS).map(([section, label]) => (
        <a key={section} href={`#${section}`} aria-current={section === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}

interface ContentProps {
  selection: Selection
  onEnd(farewell: string): void
  onRenewed(): void
}

function Content({ selection: { section, id, query }, onEnd, onRenewed }: ContentProps) {
  switch (section) {
    case 'deliveries':
      return id === undefined ? <Deliveries query={query} /> : <Delivery key={id} id={id} back={hashOf('deliveries')} />
    case 'subscriptions':
      return <Subscriptions />
    case 'inboxes':
      return id === undefined ? <Inboxes /> : <Inbox key={id} id={id} query={query} />
    case 'keys':
      return <Keys />
    case 'applications':
      return <Applications />
    case 'profile':
      return <Profile onEnd={onEnd} onRenewed={onRenewed} />
  }
}
