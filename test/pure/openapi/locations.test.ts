import { describe, expect, it } from 'vitest'
import { COMMON_ROUTES, UNIVERSE_ROUTES } from '../../../src/app.ts'
import { EXAMPLE_ORIGIN } from '../../../src/domain/example-origin.ts'
import { findUniverse } from '../../../src/domain/universe-address.ts'
import { examplesOf } from '../../../src/http/examples.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'

// `Prefer: code` sends the examples of headers. A client that follows the Location must find what the example says.

/** What is found at a Location, if it is another document than the response. */
const OTHERS: Readonly<Record<string, string>> = {
  createInbox: 'the page of its requests, which contains the inbox',
  createLabRun: 'the run, with what it has recorded',
  queryPlanets: 'the same page',
  uploadObservations: 'the batch, with what was found out',
  createUniverse: 'the universe, with its limits and without the secrets of its owner',
}

const located = COMMON_ROUTES.flatMap((route) =>
  Object.entries(route.responses).flatMap(([status, { schema, example, headers, exampleHeaders }]) =>
    headers?.includes('Location')
      ? [{ name: route.operationId, status, schema, example, location: exampleHeaders?.Location ?? '' }]
      : [],
  ),
)

describe('the example of a Location', () => {
  it.each(located)('$name, $status: is the path of something that can be read', ({ location }) => {
    expect(readerAt(location)).toBeDefined()
  })

  const created = located.filter(({ schema, name }) => schema && !(name in OTHERS))

  it.each(created)('$name, $status: leads to the resource in the body', ({ schema, example, location }) => {
    const found = readerAt(location)?.responses[200]?.schema
    const body = schema && examplesOf(schema, example)[0]
    // A secret is only in the response to the creation.
    const { key: _key, secret: _secret, ...shown } = Object(body)
    expect(found?.parse(body)).toEqual(shown)
    const { pathname } = new URL(location, EXAMPLE_ORIGIN)
    if (pathname !== '/me') expect(pathname.split('/').at(-1)).toBe(String(shown.id ?? shown.eventId))
  })

  it('leads to another document only where this is known', () => {
    const names = located.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(OTHERS)))
  })
})

/** The route that reads what is at a URL of the service. */
function readerAt(location: string): Route | undefined {
  const url = new URL(location, EXAMPLE_ORIGIN)
  const universe = findUniverse(url, undefined)
  const { routes, pathname } =
    typeof universe === 'object'
      ? { routes: UNIVERSE_ROUTES, pathname: universe.path }
      : { routes: COMMON_ROUTES, pathname: url.pathname }
  const fits = ({ method, path, params }: Route) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const values = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname)?.slice(1)
    if (method !== 'get' || !values) return false
    const entries = names.map((name, index) => [name, values[index]])
    return params?.safeParse(Object.fromEntries(entries)).success ?? true
  }
  return routes.find(fits)
}
