import { judgedCaseOf } from '../documents/judged.ts'
import type { Cell } from '../scoreboard/results.ts'
import type { Case } from '../suite/declare.ts'

/** What a driver says if the answer is an error. Without a request in the record, the case has not given it. */
const STATUS = /^the response has the status (\d+)$/

/**
 * Which requests of a client came to a case, in words. It is judged by one of them, or by what is missing.
 *
 * @returns Undefined if one came, which shows everything
 */
export function sayWhatCame(spec: Case, cell: Cell): string | undefined {
  const { verdict, error } = cell
  if (verdict === 'missing') {
    const [, status] = STATUS.exec(error ?? '') ?? []
    return status === undefined
      ? 'No request came.'
      : `The request was refused with ${status} before a case could judge it.`
  }
  if (spec.retry) return sayRetries(spec, cell)
  if (verdict !== 'incomplete') return undefined
  return spec.answer ? sayAnswered(spec) : 'The first request came, and not the second one.'
}

const sayAnswered = ({ answer }: Case) =>
  `The GET came, and was answered with ${answer?.status}. The PUT with what the client has read did not come.`

/** Of several requests, the first one that is wrong is shown. A script judges them together if each is right. */
function sayRetries(spec: Case, { verdict, at }: Cell): string | undefined {
  const { method } = judgedCaseOf(spec)
  const key = spec.parameters?.find(({ name }) => name === 'Idempotency-Key')?.input
  const first = `The first ${method} came${key === undefined ? '' : ` with the Idempotency-Key ${key}`}, and is right.`
  if (verdict === 'incomplete') return `The request before it came, and no ${method}.`
  if (verdict === 'info') return `${first} No second one came.`
  if (verdict !== 'fail') return undefined
  return at === undefined
    ? `${first} A second one came, which is right by itself too.`
    : `This is the first ${method} that is wrong.`
}
