import { findTargetFault, type GuardRules } from './url-guard.ts'

/** A call that was not made, because of where it would have gone. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

/** What a call may take. */
export interface CallRules extends GuardRules {
  /** Ends the call, the reading of its answer included. */
  signal: AbortSignal
}

/**
 * Calls a URL that a stranger has given: only where it may lead, and no further than to its first answer. A redirect is
 * an answer like any other.
 *
 * @throws TargetRefused, and whatever `fetch` throws
 */
export async function fetchGuarded(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
  rules: CallRules,
): Promise<Response> {
  requireTarget(url, rules)
  return await fetcher(url, { ...init, redirect: 'manual', signal: rules.signal })
}

/** @throws TargetRefused if a URL may not be called */
export function requireTarget(url: string, rules: GuardRules): void {
  const fault = findTargetFault(url, rules)
  if (fault) throw new TargetRefused(`the URL ${fault}`)
}

/**
 * The beginning of an answer, however long the whole is; what is not read is not waited for.
 *
 * @throws Whatever ends the call
 */
export async function readStart({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!body) return new Uint8Array(0)
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = body.getReader()
  while (length < maxBytes) {
    const { done, value } = await reader.read()
    if (done) return await join(parts)
    const part = value.subarray(0, maxBytes - length)
    parts.push(part)
    length += part.byteLength
  }
  await reader.cancel()
  return await join(parts)
}

async function join(parts: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
