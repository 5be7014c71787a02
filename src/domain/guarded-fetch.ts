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
