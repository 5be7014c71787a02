import { inject } from 'vitest'
import type { SharedWorld } from './universe-worker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    world: TestWorld
  }
}

/**
 * The world in which the tests of a project run: the common one, or a universe that is addressed by path or by host.
 * The tests are the same (vitest.config.ts).
 */
export type TestWorld = 'common' | 'universe by path' | 'universe by host'

export const WORLD = inject('world')

/** The universe of the tests. Each test file begins with a new one. */
export const UNIVERSE_ID = 'galaxygalaxygalaxygalaxy'
export const UNIVERSE_HOST = 'universes.test'

const BASE_URLS: Record<TestWorld, string> = {
  common: 'http://galaxy.test',
  'universe by path': `http://galaxy.test/u/${UNIVERSE_ID}`,
  'universe by host': `http://${UNIVERSE_ID}.${UNIVERSE_HOST}`,
}

/** The base URL of the service in this world. */
export const BASE_URL = BASE_URLS[WORLD]

/** What comes before the paths of the service in its URLs. */
export const BASE_PATH = new URL(BASE_URL).pathname.replace(/\/$/, '')

/** The origin and the host of the service in this world. */
export const { origin: BASE_ORIGIN, host: BASE_HOST } = new URL(BASE_URL)

/** The base URL for requests over https. */
export const SECURE_URL = BASE_URL.replace('http:', 'https:')

/** The base URL for requests to another address of the service. A universe by host has no other name. */
export const OTHER_URL = WORLD === 'universe by host' ? SECURE_URL : `http://localhost:9999${BASE_PATH}`

/** All base URLs that a request can come by: a universe by host has that host only. */
export const ADDRESSES: readonly string[] =
  WORLD === 'universe by host'
    ? [BASE_URL, SECURE_URL]
    : [
        'http://galaxy.test',
        'https://galaxy.test',
        'http://localhost:8787',
        'http://127.0.0.1:8787',
        'http://[::1]:8787',
        'https://galaxy.example',
        'http://galaxy.test:8787',
        'https://galaxy.test.example.org',
        'https://my-galaxy.test',
      ].map((origin) => origin + BASE_PATH)

/**
 * The base URL if the service has a PUBLIC_URL. A universe by host keeps its own.
 *
 * @param requestedUrl The base URL that a request came by
 */
export function publishedAt(publicUrl: string, requestedUrl: string = BASE_URL): string {
  return WORLD === 'universe by host' ? requestedUrl : publicUrl + BASE_PATH
}

/** The URL of a document below `/.well-known` at its place for an issuer with a path: RFC 8414, section 3.1. */
export function wellKnownUrl(name: string, baseUrl: string = BASE_URL): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}/.well-known/${name}${pathname.replace(/\/$/, '')}`
}

/** The path and the query of a link to the service, without the base path. */
export function pathWithin(link: string): string {
  const { origin, pathname, search } = new URL(link, BASE_URL)
  if (origin !== BASE_ORIGIN || !pathname.startsWith(`${BASE_PATH}/`))
    throw new Error(`${link} leads out of this world`)
  return pathname.slice(BASE_PATH.length) + search
}

/**
 * Values of request headers that are nothing. The runtime drops headers such as `If-Match` and `Origin` if they are
 * empty and arrive over HTTP or at an object, so only requests within a process can have them.
 */
export const EMPTY_VALUES: readonly string[] = WORLD === 'common' ? [''] : []

/** The key by which the limit of writes counts a user. */
export function writeKeyOf(userId: number): string {
  return WORLD === 'common' ? String(userId) : `${UNIVERSE_ID}/${userId}`
}

/** What the tests of a universe share with the object that contains it; undefined in the common world. */
export const UNIVERSE_WORLD: SharedWorld | undefined = (globalThis as { universeWorld?: SharedWorld }).universeWorld

/** Which caches may keep what this world shows to everybody. */
export const SHARED = WORLD === 'common' ? 'public' : 'private'
