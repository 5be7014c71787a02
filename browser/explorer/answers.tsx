import { render } from 'hono/jsx/dom'
import { formatJson } from '../../src/design/format-json.ts'
import type { ShownResponse } from '../../src/design/shown-request.ts'
import { CALLS, type ShownCall } from '../../src/site/explorer/commands.ts'
import { send, urlOf } from '../lib/api.ts'
import { Failure } from '../lib/failure.tsx'
import { Store, useStore } from './store.ts'

/** What a call has led to. */
type Answer = { response: ShownResponse } | { error: unknown }

/** Shows the answers to the calls at the top of the page. Makes the first call by itself. */
export function startAnswers(element: HTMLElement): void {
  const answer = new Store<Answer | undefined>(undefined)
  render(<AnswerPanel answer={answer} />, element)
  for (const button of document.querySelectorAll<HTMLElement>('[data-call]')) {
    const shown = CALLS.find(({ name }) => name === button.dataset.call)
    if (shown) button.addEventListener('click', () => run(shown, answer))
  }
  const [first] = CALLS
  if (first) run(first, answer)
}

async function run({ path, headers }: ShownCall, answer: Store<Answer | undefined>): Promise<void> {
  try {
    answer.set({ response: await send({ method: 'GET', url: urlOf(path), headers }) })
  } catch (error) {
    answer.set({ error })
  }
}

function AnswerPanel({ answer }: { answer: Store<Answer | undefined> }) {
  const current = useStore(answer)
  if (!current) return <p class="hint">The answer appears here.</p>
  if ('error' in current) return <Failure error={current.error} />
  return <Response response={current.response} />
}

function Response({ response: { status, headers, text, milliseconds } }: { response: ShownResponse }) {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  return (
    <>
      <p class="status-line" role="status">
        <span class={status < 400 ? 'badge good' : 'badge warn'}>{status}</span> {type}, {milliseconds} ms
      </p>
      {/* What scrolls must be reachable with the keyboard. */}
      <pre tabindex={0}>{formatJson(text) ?? text}</pre>
    </>
  )
}
