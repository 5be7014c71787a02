import { universeHostUrl, universePath } from '../../domain/universe-address.ts'
import type { Config } from '../../env.ts'

/** The addresses of a universe, as its descriptions show them. */
interface Addresses {
  url: string
  /** Only if the universe is shown by its path, and only if universes have hosts. */
  hostUrl?: string
}

/** @param url The base URL of the universe, by path or by host */
export function addressesOf(id: string, url: string, { universeHost }: Config): Addresses {
  const isByPath = url.endsWith(universePath(id))
  return { url, ...(isByPath && universeHost !== undefined && { hostUrl: universeHostUrl(id, universeHost, url) }) }
}
