import type { BenchRequest } from '../../laboratory/bench/request.ts'

/** The elements of a bench (laboratory/pages/bench.tsx). */
export interface Fields {
  form: HTMLFormElement
  caseId: HTMLSelectElement
  formName: HTMLSelectElement
  target: HTMLInputElement
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
    target: find(bench, 'target', HTMLInputElement),
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

/** The request as edited. */
export function readFields({ target, headers, body }: Fields): BenchRequest {
  const [method = '', path = ''] = target.value.trim().split(/\s+(.*)/s)
  const lines = headers.value.split('\n').filter((line) => line.trim() !== '')
  return {
    method,
    target: path,
    headers: lines.map((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s)
      return [name.trim(), value.trim()]
    }),
    body: body.value,
  }
}

export function writeFields(fields: Fields, { method, target, headers, body }: BenchRequest): void {
  const lines = headers.map((header) => header.join(': '))
  fields.target.value = `${method} ${target}`
  fields.headers.value = lines.join('\n')
  fields.body.value = body
  fields.headers.rows = Math.max(lines.length, 1)
  fields.body.rows = Math.min(body.trimEnd().split('\n').length, ROWS_MAX)
  fields.rest.classList.toggle('bench-pair', lines.length === 0 && body === '')
}

const ROWS_MAX = 8
