import type { Fault } from '../../domain/problems.ts'
import { findTargetFault } from '../../domain/url-guard.ts'
import { HttpUrl } from '../../schemas/fields.ts'
import type { RequestContext } from '../pipeline/context.ts'

/**
 * What is wrong with the URLs of a body that the service would call. Whether they are URLs at all is for the schema.
 *
 * @param urls By the pointers of their members; what is no URL is passed over
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
