import { useEffect, useRef, useState } from 'hono/jsx/dom'
import type { InboxPage, Inbox as InboxState } from '../../src/schemas/inbox.ts'
import { Copyable } from '../lib/copyable.tsx'
import { Confirmation } from '../lib/dialog.tsx'
import { Failure } from '../lib/failure.tsx'
import { forgetInbox, rememberInbox } from '../lib/inbox-store.ts'
import { isGone, useLoaded, useRepetition } from '../lib/load.ts'
import { readNewest } from '../lib/newest.ts'
import { When } from '../lib/when.tsx'
import { describeCall, useAccess } from './access.ts'
import { InboxRequests } from './inbox-requests.tsx'
import { InboxResponse } from './inbox-response.tsx'
import { Pager } from './pager.tsx'
import { SameCalls } from './same-calls.tsx'
import { hashOf, pageNumberOf } from './selection.ts'
import { HEADING_PROPS } from './use-selection.ts'

const PAGE_SIZE = 10
const POLL_DELAY_MS = 2_000

/** One inbox: its URL, what it responds with, and the requests as they arrive. */
export function Inbox({ id, query }: { id: string; query: URLSearchParams }) {
  const page = pageNumberOf(query)
  const path = `/inboxes/${encodeURIComponent(id)}`
  const loaded = useInbox(id, path, page)
  const { data, error } = loaded
  useRepetition(loaded, POLL_DELAY_MS)
  return (
    <>
      <p>
        <a href="#inboxes">All inboxes</a>
      </p>
      <h2 {...HEADING_PROPS}>Inbox</h2>
      {error !== undefined && <Failure error={error} />}
      {!data && error === undefined && <p>Loading …</p>}
      {data && !isGone(error) && (
        <>
          <InboxAddress inbox={data.inbox} path={path} />
          <InboxResponse inbox={data.inbox} path={path} />
          <InboxRequests requests={data.items} total={data.total} isNewest={page === 1} />
          <Pager
            page={page}
            total={data.total}
            size={PAGE_SIZE}
            hashOfPage={(number) => hashOf('inboxes', id, { page: String(number) })}
          />
        </>
      )}
      <SameCalls
        isPublic
        requests={[
          describeCall('GET', path),
          describeCall('PUT', path, { status: 503, body: '' }),
          describeCall('DELETE', path),
        ]}
      />
    </>
  )
}

function useInbox(id: string, path: string, page: number) {
  const access = useAccess()
  const expected = useRef(0)
  const load = async () => {
    let inbox: InboxState | undefined
    const result = await readNewest(
      async ({ offset, limit }) => {
        const answer: InboxPage = await access.call(describeCall('GET', `${path}?limit=${limit}&offset=${offset}`))
        inbox = answer.inbox
        return answer
      },
      { page, size: PAGE_SIZE, expected: expected.current ?? 0 },
    )
    if (!inbox) throw new Error('an inbox was read')
    expected.current = result.total
    return { ...result, inbox }
  }
  const loaded = useLoaded(load, [page, access.signIns])
  const isThere = loaded.data !== undefined
  useEffect(() => {
    if (isGone(loaded.error)) forgetInbox(id)
    else if (isThere) rememberInbox(id)
  }, [loaded.error, isThere])
  return loaded
}

function InboxAddress({ inbox: { id, url, expiresAt }, path }: { inbox: InboxState; path: string }) {
  const access = useAccess()
  const [isAsking, setAsking] = useState(false)
  const remove = async () => {
    await access.call(describeCall('DELETE', path))
    forgetInbox(id)
    location.hash = '#inboxes'
  }
  return (
    <div class="panel">
      <p class="eyebrow">Use this URL for callbacks, for example as successCallbackUrl of a planet:</p>
      <Copyable text={url} what="the URL of the inbox" />
      <div class="row">
        <small>
          It is deleted at <When at={expiresAt} />.
        </small>
        <button type="button" class="danger small" onClick={() => setAsking(true)}>
          Delete it now
        </button>
      </div>
      {isAsking && (
        <Confirmation title="Delete the inbox?" verb="Delete" onConfirm={remove} onClose={() => setAsking(false)}>
          <p>The requests that it has recorded are deleted too. Later calls to its URL get 404.</p>
        </Confirmation>
      )}
    </div>
  )
}
