import { universeHostUrl, universePath } from '../../domain/universe-address.ts'
import type { Config } from '../../env.ts'

/** The addresses of a universe, as its representation shows them. */
interface Addresses {
  url: string
  /** The same universe at a host of its own. Absent if `url` has that host, or if universes have no hosts here. */
  hostUrl?: string
}

/** @param url Its base URL, which contains the id of the universe in the path or the host */
export function addressesOf(id: string, url: string, { universeHost }: Config): Addresses {
  const isByPath = url.endsWith(universePath(id))
  if (!isByPath || universeHost === undefined) return { url }
  return { url, hostUrl: universeHostUrl(id, universeHost, url) }
}
