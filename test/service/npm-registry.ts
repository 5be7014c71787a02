import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A registry of npm on loopback, with one version of one package. */
export interface Registry {
  url: string
  /** The method and the path of each request. */
  requests: string[]
  stop(): Promise<void>
}

/**
 * Starts a registry. It says that the package depends on nothing, so that npm asks for nothing else. Without a package it
 * knows none.
 */
export async function startRegistry(published?: { name: string; version: string; file: string }): Promise<Registry> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    requests.push(`${request.method} ${path}`)
    const { name, version, file } = published ?? { name: '', version: '', file: '' }
    if (published && path === `/${name}`) {
      const dist = { tarball: `http://${request.headers.host}/package.tgz` }
      response.setHeader('Content-Type', 'application/json')
      response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: version },
          versions: { [version]: { name, version, bin: { galaxy: 'bin/galaxy.cjs' }, dist } },
        }),
      )
    } else if (published && path === '/package.tgz') response.end(await readFile(file))
    else response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"Not found"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
