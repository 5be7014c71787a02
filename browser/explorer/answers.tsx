import { render } from 'hono/jsx/dom'
import { formatJson } from '../../src/design/format-json.ts'
import type { ShownResponse } from '../../src/design/shown-request.ts'
import { callsOf, type ShownCall } from '../../src/site/explorer/commands.ts'
import { send } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { Failure } from '../lib/failure.tsx'
import { Store, useStore } from './store.ts'

type Answer = { label: string } & ({ response: ShownResponse } | { error: unknown })

/** Shows the responses to the calls at the top of the page. The first call is made automatically. */
export function startAnswers(element: HTMLElement): void {
  const answer = new Store<Answer | undefined>(undefined)
  render(<AnswerPanel answer={answer} />, element)
  const { planet } = element.dataset
  const calls = callsOf(planet === undefined ? undefined : Number(planet))
  for (const button of document.querySelectorAll<HTMLElement>('[data-call]')) {
    const call = calls.find(({ name }) => name === button.dataset.call)
    if (call) button.addEventListener('click', () => run(call, answer))
  }
  const [first] = calls
  if (first) run(first, answer)
}

/** The call that was started last. Responses to earlier calls that arrive later are not shown. */
let latest: ShownCall | undefined

async function run(call: ShownCall, answer: Store<Answer | undefined>): Promise<void> {
  latest = call
  const { label, path, headers } = call
  const result = await send({ method: 'GET', url: urlOf(path), headers }).then(
    (response) => ({ label, response }),
    (error: unknown) => ({ label, error }),
  )
  if (latest === call) answer.set(result)
}

function AnswerPanel({ answer }: { answer: Store<Answer | undefined> }) {
  const current = useStore(answer)
  if (!current) return <p class="hint">The answer appears here.</p>
  if ('error' in current) return <Failure error={current.error} />
  return <Response label={current.label} response={current.response} />
}

function Response({ label, response }: { label: string; response: ShownResponse }) {
  const { status, headers, text, milliseconds } = response
  const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  return (
    <>
      <p class="status-line" role="status">
        {label}: <span class={status < 400 ? 'badge good' : 'badge warn'}>{status}</span> {contentType}, {milliseconds}{' '}
        ms
      </p>
      {/* What scrolls must be reachable with the keyboard. */}
      <pre tabindex={0}>{formatJson(text) ?? text}</pre>
    </>
  )
}
