import { useRef } from 'hono/jsx/dom'
import type { Delivery } from '../../src/schemas/delivery.ts'
import { linkTo } from '../lib/base.ts'
import { Failure } from '../lib/failure.tsx'
import { useLoaded, useRepetition } from '../lib/load.ts'
import { readNewest, type Slice } from '../lib/newest.ts'
import { When } from '../lib/when.tsx'
import { describeCall, useAccess } from './access.ts'
import { Badge } from './badge.tsx'
import { DeliveryFilter } from './delivery-filter.tsx'
import { pollDelay } from './delivery-words.ts'
import { Pager } from './pager.tsx'
import { SameCalls } from './same-calls.tsx'
import { hashOf, pageNumberOf } from './selection.ts'
import { HEADING_PROPS } from './use-selection.ts'

const PAGE_SIZE = 20

/** The log of the calls to receivers. */
export function Deliveries({ query }: { query: URLSearchParams }) {
  const filter = { status: query.get('status') ?? '', event: query.get('event') ?? '' }
  const isFiltered = filter.status !== '' || filter.event !== ''
  const page = pageNumberOf(query)
  const { loaded, requestOf } = useDeliveries(filter, page)
  const { data, error, reload } = loaded
  useRepetition(loaded, data && pollDelay(data.items, new Date()))
  const hashOfPage = (number: number) => hashOf('deliveries', '', { ...filter, page: number > 1 ? String(number) : '' })
  return (
    <>
      <h2 {...HEADING_PROPS}>Deliveries</h2>
      <p>
        The calls that the service made to your receivers, and those that it will still make, newest first. An entry is
        kept for some time after its end.
      </p>
      <DeliveryFilter filter={filter} onRefresh={reload} />
      {error !== undefined && <Failure error={error} />}
      {data ? <DeliveryList items={data.items} isFiltered={isFiltered} /> : error === undefined && <p>Loading …</p>}
      {data && <Pager page={page} total={data.total} size={PAGE_SIZE} hashOfPage={hashOfPage} />}
      <SameCalls requests={[requestOf(data?.slice ?? { offset: 0, limit: PAGE_SIZE })]} />
    </>
  )
}

function useDeliveries(filter: Readonly<Record<string, string>>, page: number) {
  const access = useAccess()
  const expected = useRef(0)
  const present = Object.entries(filter).filter(([, value]) => value !== '')
  const requestOf = ({ offset, limit }: Slice) => {
    const query = new URLSearchParams([...present, ['limit', String(limit)], ['offset', String(offset)]])
    return describeCall('GET', `/deliveries?${query}`)
  }
  const load = async () => {
    const position = { page, size: PAGE_SIZE, expected: expected.current ?? 0 }
    const result = await readNewest<Delivery>((slice) => access.call(requestOf(slice)), position)
    expected.current = result.total
    return result
  }
  return { loaded: useLoaded(load, [filter.status, filter.event, page, access.signIns]), requestOf }
}

function DeliveryList({ items, isFiltered }: { items: readonly Delivery[]; isFiltered: boolean }) {
  if (items.length === 0) return <NoDeliveries isFiltered={isFiltered} />
  return (
    <>
      <p role="status">{describePending(items)}</p>
      <ul class="entries">
        {items.map((delivery) => (
          <DeliveryEntry key={delivery.id} delivery={delivery} />
        ))}
      </ul>
    </>
  )
}

/** How many deliveries are pending. If any are, the list updates itself. */
function describePending(items: readonly Delivery[]): string {
  const count = items.filter(({ status }) => status === 'pending').length
  if (count === 0) return 'None of these is pending.'
  return `${count} of these ${count === 1 ? 'is' : 'are'} pending. The list updates itself.`
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <p class="empty">
        No delivery matches. <a href="#deliveries">Show all deliveries</a>.
      </p>
    )
  }
  return (
    <p class="empty">
      There are no deliveries yet. Create a planet with a <code>successCallbackUrl</code>, for example the URL of an{' '}
      <a href="#inboxes">inbox</a>. The <a href={linkTo('/walk')}>tour</a> does this step by step.
    </p>
  )
}

function DeliveryEntry({ delivery }: { delivery: Delivery }) {
  const { id, event, url, createdAt, attempts } = delivery
  return (
    <li class="entry">
      <span class="entry-head">
        <a href={hashOf('deliveries', String(id))}>
          {event}
          <span class="visually-hidden">, delivery {id}</span>
        </a>
        <Badge of={delivery} />
      </span>
      <code class="entry-url">{url}</code>
      <small>
        <When at={createdAt} /> · {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
      </small>
    </li>
  )
}
