import type { Fault } from '../../domain/problems.ts'
import { findTargetFault } from '../../domain/url-guard.ts'
import { HttpUrl } from '../../schemas/fields.ts'
import type { RequestContext } from '../pipeline/context.ts'

/**
 * Finds URLs in a body that the service must not call. The schema reports values that are not URLs.
 *
 * @param urls Values by the pointers of their members; values that are not URLs are skipped
 */
export function findTargetFaults(
  urls: Readonly<Record<string, unknown>>,
  { services: { config }, baseUrl }: RequestContext,
): Fault[] {
  const rules = { allowsPrivate: config.allowsPrivateTargets, ownOrigins: [baseUrl], echoHost: config.echoHost }
  return Object.entries(urls).flatMap(([pointer, url]) => {
    const { data } = HttpUrl.safeParse(url)
    const detail = data === undefined ? undefined : findTargetFault(data, rules)
    return detail === undefined ? [] : [{ pointer, detail }]
  })
}
