import type { Child } from 'hono/jsx'
import { Copyable } from '../lib/copyable.tsx'
import type { Owner } from './owner.ts'

/**
 * The data that the user needs to use a new universe, each with a button that copies it.
 *
 * @param children The content below
 */
export function OwnerPanel({ owner, children }: { owner: Owner; children?: Child }) {
  return (
    <section class="panel universe-owner" aria-labelledby="universe-owner">
      <h2 id="universe-owner">This universe is yours</h2>
      <p>
        You own everything in it, and can change everything. Save its account: the password is shown only here, and you
        need it to sign in again.
      </p>
      <dl>
        <Member name="Base URL" text={owner.url} />
        <Member name="E-mail address" text={owner.email} />
        <Member name="Password" text={owner.password} />
        <Member name="Token (valid for an hour)" text={owner.token} kind="universe-token" />
      </dl>
      {children}
    </section>
  )
}

function Member({ name, text, kind }: { name: string; text: string; kind?: string }) {
  return (
    <div class={kind}>
      <dt>{name}</dt>
      <dd>
        <Copyable text={text} what={`the ${name}`} />
      </dd>
    </div>
  )
}
