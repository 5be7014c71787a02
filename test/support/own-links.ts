// A browser resolves links that begin with a slash at the origin. So in a universe below a path, each must begin with
// that path, or it leads to the common world.

/**
 * The links of a response that lead out of its world, except to the index of the common world, which pages of a
 * universe name.
 *
 * @param basePath What comes before the paths of that world
 */
export async function findStrayLinks(response: Response, basePath: string): Promise<string[]> {
  const { headers } = response
  const named = [...(headers.get('Link') ?? '').matchAll(/<([^>]*)>/g)].map(([, link = '']) => link)
  const links = [headers.get('Location') ?? '', ...named, ...(await linksInBody(response))]
  return links.filter((link) => /^\/[^/]/.test(link) && !`${link}/`.startsWith(`${basePath}/`))
}

async function linksInBody(response: Response): Promise<string[]> {
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('text/html')) {
    const attributes = (await response.text()).matchAll(/<[a-z]+ [^>]*?\b(?:href|src|action)="([^"]*)"/g)
    return [...attributes].map(([, link = '']) => link)
  }
  if (type !== 'application/json') return []
  const next = /"next":"(\/[^"]*)"/.exec(await response.text())?.[1]
  return next === undefined ? [] : [next]
}
