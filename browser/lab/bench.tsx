import { render } from 'hono/jsx/dom'
import { quote, writeCurl } from '../../laboratory/bench/curl.ts'
import type { BenchData } from '../../laboratory/bench/data.ts'
import type { BenchRequest } from '../../laboratory/bench/request.ts'
import { CallFailed } from '../lib/api.ts'
import { linkTo, urlOf } from '../lib/base.ts'
import { type Fields, findFields, readFields, writeFields } from './fields.ts'
import { findObstacle } from './obstacle.ts'
import { sendToBench } from './send.ts'
import { Failure, Unsent, Verdict, Waiting } from './verdict.tsx'

/** Makes the bench of the page work. The build has rendered it with a verdict (laboratory/pages/bench.tsx). */
export function startBench(): void {
  const bench = document.querySelector<HTMLElement>('#bench')
  if (bench) start(bench)
}

function start(bench: HTMLElement): void {
  const fields = findFields(bench)
  const data: BenchData = JSON.parse(bench.dataset.bench ?? '')
  const show = (content: Parameters<typeof render>[0]) => render(content, fields.verdict)
  // Only the answer to what was sent last is shown.
  let sent = 0
  const checkFields = () => {
    const request = readFields(fields)
    const obstacle = findObstacle(request)
    fields.send.disabled = obstacle !== undefined
    render(<Obstacle obstacle={obstacle} request={request} />, fields.obstacle)
  }
  const change = () => {
    sent++
    show(<Unsent />)
    checkFields()
  }
  for (const field of [fields.target, fields.headers, fields.body]) field.addEventListener('input', change)
  fields.formName.addEventListener('change', () => {
    const form = data.forms[fields.formName.selectedIndex]
    if (form) writeFields(fields, form.request)
    change()
  })
  fields.caseId.addEventListener('change', async () => {
    sent++
    await replaceBench(bench, fields, (failure) => show(failure))
  })
  fields.form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (fields.send.disabled) return
    const number = ++sent
    const request = readFields(fields)
    const stopTelling = tellSeconds((seconds) => number === sent && show(<Waiting seconds={seconds} />))
    const told = await sendToBench(request)
      .then((answer) => <Verdict answer={answer} request={request} data={data} />)
      .catch((error) => describeFailure(error))
    stopTelling()
    if (number === sent) show(told)
  })
  checkFields()
}

/** How often a person who waits is told so, in seconds. */
const TELL_SECONDS = 5

/** @returns Ends it */
function tellSeconds(tell: (seconds: number) => void): () => void {
  let seconds = 0
  tell(seconds)
  const timer = setInterval(() => {
    seconds += TELL_SECONDS
    tell(seconds)
  }, TELL_SECONDS * 1000)
  return () => clearInterval(timer)
}

function describeFailure(error: unknown) {
  if (!(error instanceof CallFailed)) throw error
  return <Failure message={error.message} advice={error.advice} />
}

function Obstacle({ obstacle, request }: { obstacle: string | undefined; request: BenchRequest }) {
  if (obstacle === undefined) return null
  return (
    <div class="notice">
      <p>{obstacle} This command sends the request as it stands:</p>
      <pre>
        <code>{writeCurl(request, quote(`${urlOf('/lab/try')}${request.target}`))}</code>
      </pre>
    </div>
  )
}

/** Puts the bench of the chosen case in the place of this one. Each case has a page with its bench. */
async function replaceBench(
  bench: HTMLElement,
  { caseId }: Fields,
  fail: (failure: ReturnType<typeof Failure>) => void,
): Promise<void> {
  const { value } = caseId
  try {
    const response = await fetch(linkTo(`/lab/cases/${value}`), { headers: { Accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = page.querySelector<HTMLElement>('#bench')
    if (!next) throw new Error(`the page of ${value} has no bench`)
    if (caseId.value !== value) return
    bench.replaceWith(document.adoptNode(next))
    start(next)
    findFields(next).caseId.focus()
  } catch {
    fail(<Failure message="The case could not be loaded." advice="Check that you are online, then choose it again." />)
  }
}
