import type * as z from 'zod'
import { type Fault, ProblemError, unknownPath } from '../../domain/problems.ts'
import { faultsOf } from '../body/faults.ts'
import type { HonoContext } from './context.ts'

// The parameters of a request, in its path and in its query.

/** Parses the path parameters. If one of them is not valid, the response is 404 for every method. */
export function parsePathParameters(schema: z.ZodType) {
  return (c: HonoContext): void => c.set('params', parse(schema, c.req.param(), unknownPath))
}

/**
 * Parses the query of the URL.
 *
 * @param isPage Whether the route is an HTML page. If so, the last value of a repeated parameter is used here. The
 * route itself checks repeated parameters, because it must report some of them to the OAuth client
 */
export function parseQuery(schema: z.ZodType, isPage: boolean) {
  const readParameters = isPage ? lastValues : allValues
  return (c: HonoContext): void => c.set('query', parse(schema, readParameters(c), invalidQuery))
}

/**
 * Reads the query of a URL, for a route that checks something else first.
 *
 * @throws ProblemError 400
 */
export function readQuery<Schema extends z.ZodType>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const names = new Set(query.keys())
  const parameters = [...names].map((name) => [name, valueOrList(query.getAll(name))])
  const result = schema.safeParse(Object.fromEntries(parameters))
  if (!result.success) throw invalidQuery(faultsOf(result.error))
  return result.data
}

/** @throws The error that `refuse` creates */
function parse(schema: z.ZodType, value: unknown, refuse: (faults: Fault[]) => ProblemError): unknown {
  const result = schema.safeParse(value)
  if (!result.success) throw refuse(faultsOf(result.error))
  return result.data
}

function invalidQuery(faults: Fault[]): ProblemError {
  return new ProblemError('invalid-query', 'The query has invalid parameters.', { faults })
}

function allValues(c: HonoContext): Record<string, unknown> {
  if (c.get('url').search === '') return {}
  return Object.fromEntries(Object.entries(c.req.queries()).map(([name, values]) => [name, valueOrList(values)]))
}

/** The value of a parameter; the list of its values if it is repeated, which the schemas of routes reject. */
function valueOrList(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : values
}

function lastValues(c: HonoContext): Record<string, string> {
  return Object.fromEntries(c.get('url').searchParams)
}
