import { type BenchRequest, bodyBytesOf } from '../../laboratory/bench/request.ts'
import type { Verdict } from '../../laboratory/case.ts'
import { CallFailed, explainRefusal } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { headerBytesOf } from './obstacle.ts'

/** A verdict as `/lab/try` answers it. */
export interface BenchAnswer {
  case: string
  verdict: Verdict
  reason: string | null
  at: number | null
  received: string | null
  encoding: 'base64' | null
}

/** How long a verdict may take. */
const TIMEOUT_SECONDS = 30

/**
 * Sends a request to the bench of the world of the page.
 *
 * @throws CallFailed if there is no verdict
 */
export async function sendToBench(request: BenchRequest): Promise<BenchAnswer> {
  const response = await fetchAnswer(request)
  const text = await response.text().catch(() => '')
  const answer = readAnswer(text)
  if (response.ok && answer) return answer
  if (response.status >= 400)
    throw explainRefusal({ status: response.status, headers: [...response.headers], text, milliseconds: 0 })
  throw new CallFailed(`The server answered with ${response.status}, and without a verdict.`, '')
}

async function fetchAnswer(request: BenchRequest): Promise<Response> {
  const { method, target, headers } = request
  const body = bodyBytesOf(request)
  try {
    return await fetch(`${urlOf('/lab/try')}${target}`, {
      method,
      headers: headers.map(([name, value]) => [name, headerBytesOf(value)]),
      body: body.length > 0 ? body : null,
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new CallFailed(`The server did not answer in ${TIMEOUT_SECONDS} seconds.`, 'Try again.')
    throw new CallFailed('The server cannot be reached.', 'Check that it runs and that you are online, then try again.')
  }
}

function readAnswer(text: string): BenchAnswer | undefined {
  try {
    const answer = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'verdict' in answer && 'case' in answer ? answer : undefined
  } catch {
    return undefined
  }
}
