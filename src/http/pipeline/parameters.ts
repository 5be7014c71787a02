import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { type Fault, ProblemError, unknownPath } from '../../domain/problems.ts'
import { faultsOf } from '../body/faults.ts'
import { valuesByName } from '../body/form.ts'
import type { HonoEnv } from './context.ts'

/** Parses the path parameters. If one of them is not valid, the response is 404 for every method. */
export function parsePathParameters(schema: z.ZodType): MiddlewareHandler<HonoEnv> {
  return zValidator('param', schema, refusing(unknownPath), SYNCHRONOUS)
}

/**
 * @param isPage Whether the route is an HTML page. If so, the last value of a repeated parameter is used here. The
 * route itself checks repeated parameters, because it must report some of them to the OAuth client
 */
export function parseQuery(schema: z.ZodType, isPage: boolean): MiddlewareHandler<HonoEnv> {
  return zValidator('query', schema, refusing(invalidQuery), isPage ? LAST_VALUES : SYNCHRONOUS)
}

/** Parses the request headers that a route declares. The schema has their names as HTTP writes them. */
export function parseHeaders(schema: z.ZodType): MiddlewareHandler<HonoEnv> {
  return zValidator('header', schema, refusing(invalidHeaders), SYNCHRONOUS)
}

function invalidHeaders(faults: Fault[]): ProblemError {
  const sentences = faults.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`)
  return new ProblemError('bad-request', sentences.join(' '))
}

/** No schema of parameters needs a promise, so the default (`safeParseAsync`) would only take longer. */
const SYNCHRONOUS = {
  validationFunction: (schema: z.ZodType, value: unknown) => schema.safeParse(value),
}

/** Takes the last value of each repeated parameter, which Hono passes as a list. */
const LAST_VALUES = {
  validationFunction: (schema: z.ZodType, value: Record<string, string | string[]>) => {
    const lastValues = Object.entries(value).map(([name, values]) => [name, [values].flat().at(-1)])
    return schema.safeParse(Object.fromEntries(lastValues))
  },
}

/** Throws the error of this service in place of the validator's own response. */
function refusing(refuse: (faults: Fault[]) => ProblemError) {
  return (result: { success: boolean; error?: z.core.$ZodError }): void => {
    if (result.error) throw refuse(faultsOf(result.error))
  }
}

/** @throws ProblemError 400 */
export function readQuery<Schema extends z.ZodType>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const result = schema.safeParse(valuesByName(query))
  if (!result.success) throw invalidQuery(faultsOf(result.error))
  return result.data
}

function invalidQuery(faults: Fault[]): ProblemError {
  return new ProblemError('invalid-query', 'The query has invalid parameters.', { faults })
}
