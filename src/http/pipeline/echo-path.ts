import { isEcho } from '../../domain/url-guard.ts'
import type { Config } from '../../env.ts'

const ECHO_PATH = /^\/echo(\/.*)?$/

/**
 * The path that the echo shows of a request to it: without the prefix `/echo`, so that both ways in give the same.
 *
 * @returns Undefined where the request is none to the echo
 */
export function echoPathOf(requestUrl: string, { echoHost }: Config): string | undefined {
  const url = new URL(requestUrl)
  const match = ECHO_PATH.exec(url.pathname)
  if (match) return match[1] ?? '/'
  return isEcho(url, echoHost) ? url.pathname : undefined
}
