import type { BenchForm } from '../../laboratory/bench/data.ts'
import type { BenchRequest } from '../../laboratory/bench/request.ts'
import type { TypedTexts } from '../../laboratory/bench/typed.ts'

/** The elements of a bench (laboratory/pages/bench.tsx). */
export interface Fields {
  form: HTMLFormElement
  caseId: HTMLSelectElement
  formName: HTMLSelectElement
  target: HTMLTextAreaElement
  rest: HTMLElement
  headers: HTMLTextAreaElement
  body: HTMLTextAreaElement
  obstacle: HTMLElement
  send: HTMLButtonElement
  verdict: HTMLElement
}

export function findFields(bench: HTMLElement): Fields {
  return {
    form: find(bench, 'fields', HTMLFormElement),
    caseId: find(bench, 'case', HTMLSelectElement),
    formName: find(bench, 'form', HTMLSelectElement),
    target: find(bench, 'target', HTMLTextAreaElement),
    rest: find(bench, 'rest', HTMLElement),
    headers: find(bench, 'headers', HTMLTextAreaElement),
    body: find(bench, 'body', HTMLTextAreaElement),
    obstacle: find(bench, 'obstacle', HTMLElement),
    send: find(bench, 'send', HTMLButtonElement),
    verdict: find(bench, 'verdict', HTMLElement),
  }
}

function find<Kind extends HTMLElement>(bench: HTMLElement, name: string, kind: new () => Kind): Kind {
  const element = bench.querySelector(`#bench-${name}`)
  if (!(element instanceof kind)) throw new Error(`the bench has no ${name}`)
  return element
}

export function textsOf({ target, headers, body }: Fields): TypedTexts {
  return { line: target.value, headers: headers.value, body: body.value }
}

export function writeTexts(fields: Fields, { line, headers, body }: TypedTexts): void {
  fields.target.value = line
  fields.headers.value = headers
  fields.body.value = body
  fields.headers.rows = rowsOf(headers)
  fields.body.rows = rowsOf(body)
  arrangeRest(fields)
}

/** Headers and body share a line while both are empty. */
export function arrangeRest({ rest, headers, body }: Fields): void {
  rest.classList.toggle('bench-pair', headers.value === '' && body.value === '')
}

export function textsOfRequest({ method, target, headers, body }: BenchRequest): TypedTexts {
  return { line: `${method} ${target}`, headers: headers.map((header) => header.join(': ')).join('\n'), body }
}

const ROWS_MAX = 8

const rowsOf = (text: string) => Math.min(text.trimEnd().split('\n').length, ROWS_MAX)

/** Selects the form that a request is, or the option "edited", which is there only then. @returns The form */
export function selectForm(
  { formName }: Fields,
  forms: readonly BenchForm[],
  request: BenchRequest | undefined,
): BenchForm | undefined {
  const place = forms.findIndex((form) => isSame(form.request, request))
  formName.options.length = forms.length
  if (place < 0) formName.add(new Option('edited', 'edited'))
  formName.selectedIndex = place < 0 ? forms.length : place
  return forms[place]
}

const isSame = (one: BenchRequest, other: BenchRequest | undefined) =>
  other !== undefined && JSON.stringify(shapeOf(one)) === JSON.stringify(shapeOf(other))

const shapeOf = ({ method, target, headers, body }: BenchRequest) => [method, target, headers, body]
