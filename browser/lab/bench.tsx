import { render } from 'hono/jsx/dom'
import type { BenchData } from '../../laboratory/bench/data.ts'
import { readCurl } from '../../laboratory/bench/read-curl.ts'
import type { BenchRequest } from '../../laboratory/bench/request.ts'
import {
  joinTexts,
  readHttp,
  readTyped,
  splitTexts,
  type Typed,
  type TypedTexts,
} from '../../laboratory/bench/typed.ts'
import { CallFailed } from '../lib/api.ts'
import { linkTo } from '../lib/base.ts'
import { type Kept, keepInAddress, readAddress, whyNotKept } from './address.ts'
import { arrangeRest, type Fields, findFields, selectForm, textsOf, textsOfRequest, writeTexts } from './fields.ts'
import { Notices } from './notices.tsx'
import { findObstacle } from './obstacle.ts'
import { sendToBench } from './send.ts'
import { Failure, Unsent, Verdict, Waiting } from './verdict.tsx'

/** Makes the bench of the page work. The build has rendered it with a verdict (laboratory/pages/bench.tsx). */
export async function startBench(): Promise<void> {
  const element = document.querySelector<HTMLElement>('#bench')
  if (element) await new Bench(element).open(readAddress())
}

/** How long the address waits for more of what is typed. Browsers limit how often it may change. */
const KEEP_MS = 250

/** The bench of a case. When another case is chosen, that of the other one takes its place. */
class Bench {
  readonly #element: HTMLElement
  readonly #fields: Fields
  readonly #data: BenchData
  /** Those of the cases that have a bench. */
  readonly #ids: readonly string[]
  /** Only the answer to what was sent last is shown. */
  #sent = 0
  #keeping: ReturnType<typeof setTimeout> | undefined

  constructor(element: HTMLElement) {
    this.#element = element
    this.#fields = findFields(element)
    this.#data = JSON.parse(element.dataset.bench ?? '')
    this.#ids = Array.from(this.#fields.caseId.options, ({ value }) => value)
    this.#listen()
    this.#check()
  }

  /** Shows what the address keeps. What does not exist is ignored, and said so. */
  async open({ caseId, form, request }: Kept): Promise<void> {
    if (caseId !== null && caseId !== this.#data.judged.id) {
      if (this.#ids.includes(caseId)) await (await this.#replace(caseId))?.open({ caseId, form, request })
      else this.#check([describeIgnored('case', caseId)])
      return
    }
    const { forms } = this.#data
    const named = forms.find(({ name }) => name === form)
    if (request !== null) this.#write(splitTexts(request))
    else if (form !== null && !named) this.#check([describeIgnored('form', form)])
    else if (named && named !== forms[this.#fields.formName.selectedIndex]) this.#write(textsOfRequest(named.request))
  }

  #listen(): void {
    const { form, caseId, formName, target, headers, body } = this.#fields
    for (const field of [target, headers, body])
      field.addEventListener('input', (event) => {
        this.#spread(event instanceof InputEvent && event.inputType === 'insertFromPaste')
        arrangeRest(this.#fields)
        this.#change()
      })
    target.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.isComposing) return
      event.preventDefault()
      form.requestSubmit()
    })
    formName.addEventListener('change', () => {
      const chosen = this.#data.forms[formName.selectedIndex]
      if (chosen) this.#write(textsOfRequest(chosen.request))
    })
    caseId.addEventListener('change', async () => {
      const next = await this.#replace(caseId.value)
      if (next) next.#keep()
    })
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      await this.#submit()
    })
  }

  #read(): Typed {
    const method = this.#data.forms[0]?.request.method ?? 'GET'
    return readTyped(textsOf(this.#fields), { ids: this.#ids, method })
  }

  /** Spreads a whole request over the fields, if it was pasted into the first one, which has one line. */
  #spread(isPasted: boolean): void {
    const { target } = this.#fields
    const command = isPasted ? readCurl(target.value) : undefined
    const whole = command ?? readHttp(target.value)
    if (whole && (command || whole.headers !== '' || whole.body !== '')) writeTexts(this.#fields, whole)
    else if (target.value.includes('\n')) target.value = target.value.replaceAll(/\s*\n\s*/g, '')
  }

  #write(texts: TypedTexts): void {
    writeTexts(this.#fields, texts)
    this.#change()
  }

  #change(): void {
    this.#sent++
    // A case that is still on its way is no longer wanted.
    this.#fields.caseId.value = this.#data.judged.id
    this.#show(<Unsent />)
    this.#check()
    clearTimeout(this.#keeping)
    this.#keeping = setTimeout(() => this.#keep(), KEEP_MS)
  }

  /** Says what keeps the page from sending what was typed, and what it will send. */
  #check(notes: readonly string[] = []): void {
    const fields = this.#fields
    const typed = this.#read()
    const { request, caseId, noHeader } = typed
    const obstacle = findObstacle(typed, this.#data.judged.id, this.#ids)
    const form = selectForm(fields, this.#data.forms, noHeader === undefined ? request : undefined)
    const isElsewhere = caseId !== this.#data.judged.id
    const line = `${request.method} ${request.target}`
    const refusal = form ? undefined : whyNotKept(joinTexts(textsOf(fields)))
    const all = [
      ...notes,
      ...(isElsewhere && !obstacle ? [`The path is that of ${caseId}. Send chooses this case above.`] : []),
      ...(refusal === undefined ? [] : [`The address of the page does not keep this request, because ${refusal}.`]),
    ]
    fields.send.disabled = obstacle !== undefined
    render(
      <Notices
        obstacle={obstacle}
        notes={all}
        line={obstacle || isElsewhere || line === fields.target.value.trim() ? undefined : line}
        choose={(line) => {
          fields.target.value = line
          fields.target.focus()
          this.#change()
        }}
      />,
      fields.obstacle,
    )
  }

  #keep(): void {
    // Another bench may have taken its place.
    if (!this.#element.isConnected) return
    const form = this.#data.forms[this.#fields.formName.selectedIndex]
    const request = joinTexts(textsOf(this.#fields))
    const isKept = !form && whyNotKept(request) === undefined
    keepInAddress({ caseId: this.#data.judged.id, form: form?.name ?? null, request: isKept ? request : null })
  }

  async #submit(): Promise<void> {
    if (this.#fields.send.disabled) return
    const { request, caseId } = this.#read()
    if (caseId === this.#data.judged.id) return await this.#send(request)
    const texts = textsOf(this.#fields)
    const next = caseId === undefined ? undefined : await this.#replace(caseId)
    if (!next) return
    next.#write(texts)
    await next.#submit()
  }

  async #send(request: BenchRequest): Promise<void> {
    const number = ++this.#sent
    const stopTelling = tellSeconds((seconds) => number === this.#sent && this.#show(<Waiting seconds={seconds} />))
    const told = await sendToBench(request)
      .then((answer) => <Verdict answer={answer} request={request} data={this.#data} />)
      .catch((error) => describeFailure(error))
    stopTelling()
    if (number !== this.#sent) return
    this.#show(told)
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    this.#fields.verdict.scrollIntoView({ block: 'nearest', behavior: isStill ? 'instant' : 'smooth' })
  }

  #show(content: Parameters<typeof render>[0]): void {
    render(content, this.#fields.verdict)
  }

  /** Puts the bench of another case in the place of this one. Each case has a page with its bench. */
  async #replace(id: string): Promise<Bench | undefined> {
    const { caseId } = this.#fields
    const number = ++this.#sent
    try {
      const response = await fetch(linkTo(`/lab/cases/${id}`), { headers: { Accept: 'text/html' } })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const next = page.querySelector<HTMLElement>('#bench')
      if (!next) throw new Error(`the page of ${id} has no bench`)
      // Something else was chosen, typed or sent meanwhile.
      if (number !== this.#sent) return undefined
      const focused = this.#element.contains(document.activeElement) ? document.activeElement?.id : undefined
      this.#element.replaceWith(document.adoptNode(next))
      const bench = new Bench(next)
      if (focused) next.querySelector<HTMLElement>(`#${focused}`)?.focus()
      return bench
    } catch {
      caseId.value = this.#data.judged.id
      this.#show(
        <Failure message="The case could not be loaded." advice="Check that you are online, then choose it again." />,
      )
      return undefined
    }
  }
}

const describeIgnored = (what: string, value: string) =>
  `There is no ${what} ${JSON.stringify(value)} on the bench, so it is ignored.`

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
