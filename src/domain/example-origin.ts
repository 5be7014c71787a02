import { basePathOf, wellKnownUrl } from './base-url.ts'

const HOST = 'galaxy.test'

/** The origin of the service in examples. Before an example is sent, `atOrigin` replaces it with the real base URL. */
export const EXAMPLE_ORIGIN = `https://${HOST}`

// The URLs in examples. A server URL in OpenAPI can begin with the placeholder `{protocol}`. `atOrigin` keeps the
// placeholder and replaces only the rest. Some metadata is not below the base URL but at the origin, so its name is a
// group.
const EXAMPLE_URLS = new RegExp(
  `(https|\\{protocol\\})://${HOST.replaceAll('.', '\\.')}(?:/\\.well-known/(oauth-[a-z-]+))?`,
  'g',
)

// The links of lists to their other pages, also in XML. They are root-relative, so no other part of a URL precedes the
// path.
const LIST_LINKS = /(?<![\w./}-])(?:\/[\w-]+)+\?limit=\d+&(?:amp;)?offset=\d+/g

/** Replaces the example origin in a text, and puts the path of `baseUrl` in front of the links of lists. */
export function atOrigin(text: string, baseUrl: string): string {
  const withoutScheme = baseUrl.replace(/^https?:/, '')
  return text
    .replaceAll(EXAMPLE_URLS, (_, scheme, metadata) => {
      if (metadata !== undefined) return wellKnownUrl(baseUrl, metadata)
      return scheme === 'https' ? baseUrl : `${scheme}:${withoutScheme}`
    })
    .replaceAll(LIST_LINKS, (link) => basePathOf(baseUrl) + link)
}
