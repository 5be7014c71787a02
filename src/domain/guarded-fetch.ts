import { findTargetFault, type GuardRules } from './url-guard.ts'

/** The name of the service in the calls that it makes, without a version. The service knows its own calls by it. */
export const CALLER = 'Galaxy-Callbacks'
const USER_AGENT = `${CALLER}/2.0.0`

/** A call that was not made, because its URL is not allowed. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

export interface CallRules extends GuardRules {
  /** Aborts the call, including the reading of its response. */
  signal: AbortSignal
}

/**
 * Calls a URL from an untrusted source, if it is allowed, under the name of this service. Does not follow redirects: a
 * redirect is returned like any other response.
 *
 * @throws TargetRefused, and any error of `fetch`
 */
export async function fetchGuarded(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
  rules: CallRules,
): Promise<Response> {
  requireAllowedTarget(url, rules)
  const headers = new Headers(init.headers)
  headers.set('User-Agent', USER_AGENT)
  return await fetcher(url, { ...init, headers, redirect: 'manual', signal: rules.signal })
}

/** @throws TargetRefused */
export function requireAllowedTarget(url: string, rules: GuardRules): void {
  const fault = findTargetFault(url, rules)
  if (fault) throw new TargetRefused(`the URL ${fault}`)
}
