import type { Fault } from '../../domain/problems.ts'
import { findTargetFault, guardRulesOf } from '../../domain/url-guard.ts'
import { HttpUrl } from '../../schemas/fields.ts'
import type { RequestContext } from '../pipeline/context.ts'

/**
 * Finds URLs in a body that the service must not call. Values that are not URLs are skipped, because the schema reports
 * them.
 *
 * @param urls The values, by the JSON Pointers to their members
 */
export function findTargetFaults(
  urls: Readonly<Record<string, unknown>>,
  { services: { config }, baseUrl }: RequestContext,
): Fault[] {
  const rules = guardRulesOf(baseUrl, config)
  return Object.entries(urls).flatMap(([pointer, url]) => {
    const { data } = HttpUrl.safeParse(url)
    const detail = data === undefined ? undefined : findTargetFault(data, rules)
    return detail === undefined ? [] : [{ pointer, detail }]
  })
}
