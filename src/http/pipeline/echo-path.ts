import { isAtEchoHost } from '../../domain/url-guard.ts'
import type { Config } from '../../env.ts'

const ECHO_PATH = /^\/echo(\/.*)?$/

export function isEchoPath(path: string): boolean {
  return ECHO_PATH.test(path)
}

/**
 * The path that the echo shows for a request: without the prefix `/echo`. So a request to `/echo/…` and a request to
 * the host of the echo have the same result.
 *
 * @returns Undefined if the request is not for the echo
 */
export function echoPathOf(url: URL, { echoHost }: Config): string | undefined {
  const match = ECHO_PATH.exec(url.pathname)
  if (match) return match[1] ?? '/'
  return isAtEchoHost(url, echoHost) ? url.pathname : undefined
}
