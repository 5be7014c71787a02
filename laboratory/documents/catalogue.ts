import type { Group, Level, Version } from '../case.ts'
import type { Answer, Case, CaseSchema, Value } from '../suite/declare.ts'
import { SUITE } from '../suite/suite.ts'
import { methodOf, pathOf } from './operations.ts'
import { isList, isObject } from './values.ts'
import { wireOf } from './wire.ts'

/** The groups in which nothing is written for a reader to compare with. */
const WITHOUT_WIRE: readonly string[] = ['response', 'redirect', 'retry']

/** The catalogue of all cases, as `GET /lab/cases` returns it. */
export function describeCatalogue(cases: readonly Case[]): object {
  return { suite: SUITE, cases: cases.map(catalogueEntryOf) }
}

export interface CatalogueEntry {
  id: string
  operationId: string
  method: string
  path: string
  group: Group
  level: Level
  title: string
  /** What to send, with tags. */
  input: {
    parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    body?: { mediaType: string; value: unknown }
  }
  /** Null if nothing is written for a reader to compare with. */
  wire: string | null
  specification: string
  /** The versions of OpenAPI that describe it. */
  versions: readonly Version[]
  /** Of a case whose PUT carries a small report: where the client reads each member. */
  report?: Readonly<Record<string, string>>
}

export function catalogueEntryOf(spec: Case): CatalogueEntry {
  const { id, operationId, group, level, title, specification, versions } = spec
  return {
    id,
    operationId,
    method: methodOf(spec).toUpperCase(),
    path: pathOf(spec),
    group,
    level,
    title,
    input: inputOf(spec),
    wire: WITHOUT_WIRE.includes(group) ? null : wireOf(spec),
    specification,
    versions,
    ...(spec.answer?.report.schema && { report: reportOf(spec.answer, spec.answer.report.schema) }),
  }
}

/** Where each member of a report is in the response: `status`, `header:NAME`, or `body:` with a pointer (RFC 6901). */
function reportOf({ headerSchemas = {} }: Answer, { properties = {} }: CaseSchema): Record<string, string> {
  const sourceOf = (name: string) => {
    const header = Object.keys(headerSchemas).find((field) => field.toLowerCase() === `x-${name}`)
    if (header !== undefined) return `header:${header}`
    return name === 'status' ? 'status' : `body:/${name}`
  }
  return Object.fromEntries(Object.keys(properties).map((name) => [name, sourceOf(name)]))
}

function inputOf({ parameters = [], body }: Case): CatalogueEntry['input'] {
  const given = parameters.filter(({ input }) => input !== undefined)
  const places = Object.groupBy(given, (parameter) => parameter.in)
  const named = Object.entries(places).map(([place, list = []]) => [
    place,
    Object.fromEntries(list.map(({ name, input = null }) => [name, exact(input)])),
  ])
  return {
    parameters: Object.fromEntries(named),
    ...(body?.input !== undefined && { body: { mediaType: body.mediaType, value: exact(body.input) } }),
  }
}

/** A value in which minus zero stays what it is. */
function exact(value: Value): unknown {
  if (Object.is(value, -0)) return JSON.rawJSON('-0')
  if (isList(value)) return value.map(exact)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exact(member)]))
    : value
}
