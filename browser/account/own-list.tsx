import type { Child } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import { Outcome, useAction } from '../lib/action.tsx'
import { Confirmation } from '../lib/dialog.tsx'
import { Failure } from '../lib/failure.tsx'
import { useLoaded } from '../lib/load.ts'
import type { ListPage } from '../lib/newest.ts'
import { describeCall, useAccess } from './access.ts'
import { Facts } from './facts.tsx'
import { focusHeading } from './use-selection.ts'

/** A kind of item that a user owns and can end, such as API keys. */
export interface ItemKind<Item> {
  /** The path of the list in the API. `path/{id}` is the path of an item. */
  path: string
  idOf(item: Item): string
  nameOf(item: Item): string
  facts(item: Item): readonly (readonly [string, Child | undefined])[]
  /** The verb on the button that ends an item, such as `Revoke`. */
  verb: string
  /** Its past participle, such as `revoked`. */
  participle: string
  /** The consequences, in sentences. */
  consequence: string
  empty: Child
}

interface OwnListProps<Item> {
  kind: ItemKind<Item>
  /** The list is loaded again when this changes. */
  version?: number
  onEnded?(item: Item): void
}

/** The API returns at most this many items. */
const PAGE_SIZE = 100

/** The items of one kind. Each has a button that ends it, after a confirmation. */
export function OwnList<Item>({ kind, version = 0, onEnded }: OwnListProps<Item>) {
  const access = useAccess()
  const [pages, setPages] = useState(1)
  const load = () => readPages<Item>((path) => access.call(describeCall('GET', path)), kind.path, pages)
  const { data, error, reload } = useLoaded(load, [access.signIns, version, pages])
  const [chosen, setChosen] = useState<Item | undefined>(undefined)
  const action = useAction()
  const end = async (item: Item) => {
    await access.call(describeCall('DELETE', `${kind.path}/${encodeURIComponent(kind.idOf(item))}`))
    setChosen(undefined)
    onEnded?.(item)
    await action.run(async () => {
      await reload()
      focusHeading()
      return `${kind.nameOf(item)} was ${kind.participle}.`
    })
  }
  return (
    <>
      <Outcome of={action} />
      {error !== undefined && <Failure error={error} />}
      {!data && error === undefined && <p>Loading …</p>}
      {data && <Items kind={kind} items={data.items} onChoice={setChosen} />}
      {data?.hasMore && (
        <button type="button" class="secondary" onClick={() => setPages(pages + 1)}>
          Show more
        </button>
      )}
      {chosen !== undefined && (
        <Confirmation
          title={`${kind.verb} ${kind.nameOf(chosen)}?`}
          verb={kind.verb}
          onConfirm={() => end(chosen)}
          onClose={() => setChosen(undefined)}
        >
          <p>{kind.consequence}</p>
        </Confirmation>
      )}
    </>
  )
}

/** Reads the first pages of a list. */
async function readPages<Item>(
  read: (path: string) => Promise<ListPage<Item>>,
  path: string,
  count: number,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const items: Item[] = []
  let next: string | null = `${path}?limit=${PAGE_SIZE}`
  for (let page = 0; page < count && next !== null; page++) {
    const answer: ListPage<Item> = await read(next)
    items.push(...answer.data)
    next = answer.meta.next
  }
  return { items, hasMore: next !== null }
}

interface ItemsProps<Item> {
  kind: ItemKind<Item>
  items: readonly Item[]
  onChoice(item: Item): void
}

function Items<Item>({ kind, items, onChoice }: ItemsProps<Item>) {
  if (items.length === 0) return <p class="empty">{kind.empty}</p>
  return (
    <ul class="entries">
      {items.map((item) => (
        <li key={kind.idOf(item)} class="entry entry-own">
          <div>
            <strong>
              <bdi>{kind.nameOf(item)}</bdi>
            </strong>
            <Facts facts={kind.facts(item)} />
          </div>
          <button type="button" class="danger small" onClick={() => onChoice(item)}>
            {kind.verb}
            <span class="visually-hidden"> {kind.nameOf(item)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
