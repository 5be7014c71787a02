import { useRef } from 'hono/jsx/dom'
import { CopyButton } from '../lib/copy-button.tsx'
import { Failure } from '../lib/failure.tsx'
import { DRESSES, type Dress, writeRequest } from './planet-request.ts'
import { useStore } from './store.ts'
import type { TablePages, TableView } from './table-pages.ts'

// The cast is safe, because an object literal has only the keys of its type.
const DRESS_NAMES = Object.keys(DRESSES) as Dress[]

/** The request that the table comes from, as a text that can be copied, and why it has failed. */
export function RequestPanel({ pages }: { pages: TablePages }) {
  const code = useRef<HTMLElement>(null)
  const { request, dress, lacks, isWaiting, response, error } = useStore(pages.view)
  return (
    <>
      <div class="request-bar">
        {lacks.length === 0 ? <DressChoice pages={pages} chosen={dress} /> : <Lacks lacks={lacks} />}
        <CopyButton source={code} what="the request" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with Tab */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <pre role="group" aria-label="The request of the table" tabIndex={0}>
        <code ref={code}>{writeRequest(request)}</code>
      </pre>
      <p class="hint">{isWaiting ? 'The planets are not loaded yet.' : describeResponse(response, lacks, error)}</p>
      {error !== undefined && (
        <>
          <Failure error={error} />
          <p>
            <button type="button" class="secondary small" onClick={() => pages.read()}>
              Send again
            </button>{' '}
            The table still has what was read before.
          </p>
        </>
      )}
    </>
  )
}

function DressChoice({ pages, chosen }: { pages: TablePages; chosen: Dress }) {
  return (
    <label class="dress">
      This table is the answer to
      <select onChange={({ target }) => choose(target, pages)}>
        {DRESS_NAMES.map((dress) => (
          <option key={dress} value={dress} selected={dress === chosen}>
            {DRESSES[dress].label}
          </option>
        ))}
      </select>
    </label>
  )
}

function choose(target: EventTarget | null, pages: TablePages): void {
  const dress = DRESS_NAMES.find((name) => target instanceof HTMLSelectElement && name === target.value)
  if (dress) pages.chooseDress(dress)
}

function Lacks({ lacks }: Pick<TableView, 'lacks'>) {
  return <p>The list of planets cannot {lacks.join(', or ')}. So the page does it, with all planets from</p>
}

function describeResponse(response: TableView['response'], lacks: TableView['lacks'], error: unknown): string {
  if (lacks.length > 0) return 'The page has loaded them for the picture, and sends nothing now.'
  if (response) return `The response was ${response.status}, after ${response.milliseconds} ms.`
  return error === undefined ? 'Waiting for the response …' : 'There was no response.'
}
