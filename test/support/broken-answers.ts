import { dereference, type Schema as JsonSchema, validate } from '@cfworker/json-schema'
import { describeCompletely } from '../../documents/documents.ts'
import { KINDS } from '../../src/features/faults/actions.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'

// What a validator finds in an answer, by the complete document and nothing else.

/** The keyword that fails for each kind that breaks the schema. */
const KEYWORDS: Readonly<Record<string, string>> = {
  type: 'type',
  required: 'required',
  null: 'type',
  enum: 'enum',
  additional: 'additionalProperties',
  format: 'format',
  minimum: 'minimum',
}

export const ALL_KINDS: readonly string[] = KINDS

/** Keywords that fail only because a keyword below them fails. */
const OUTER = ['properties', 'items', 'allOf', '$ref', 'false']

type Node = Record<string, unknown>
const asNode = (value: unknown): Node => (typeof value === 'object' && value !== null ? { ...value } : {})

// Without examples, because the validator takes an example with an `id` for a schema of that name.
const [document = {}, newer = {}] = (['3.1', '3.2'] as const).map((openApi) =>
  asNode(
    JSON.parse(JSON.stringify(describeCompletely('common', CURRENT_API_VERSION, openApi)), (name, value) =>
      name === 'examples' ? undefined : value,
    ),
  ),
)
const lookup = dereference({ components: { schemas: asNode(document.components).schemas } })
/** Those of OpenAPI 3.1, and those that only 3.2 can describe. */
const operations = new Map([...operationsOf(newer), ...operationsOf(document)])

function operationsOf({ paths }: Node): [operationId: string, operation: Node][] {
  return Object.values(asNode(paths))
    .flatMap((item) => Object.values(asNode(item)).map(asNode))
    .map((operation) => [String(operation.operationId), operation])
}

function resolve(node: unknown): Node {
  const { $ref } = asNode(node)
  if (typeof $ref !== 'string') return asNode(node)
  const names = $ref.split('/').slice(1)
  return resolve(names.reduce<unknown>((part, name) => asNode(part)[name.replaceAll('~1', '/')], document))
}

/** The faults of an answer, as `keyword pointer` or in words. The pointer of a member is that of the member. */
export async function findBreaks(operationId: string, response: Response): Promise<string[]> {
  const documented = asNode(operations.get(operationId)?.responses)[response.status]
  if (documented === undefined) return ['status']
  const declared = resolve(documented)
  const names = Object.entries(asNode(declared.headers)).filter(([, header]) => resolve(header).required === true)
  // The object of a universe adds it, and so does no test of the common world.
  const missing = names.filter(([name]) => name !== 'Sunset' && !response.headers.has(name)).map(() => 'header')
  const [mediaType = ''] = (response.headers.get('Content-Type') ?? '').split(';')
  if (declared.content === undefined) return missing
  const media = asNode(declared.content)[mediaType]
  if (!media) return [...missing, 'content-type']
  const text = await response.text()
  if (text === '') return [...missing, 'empty']
  const { schema } = resolve(media)
  return [...missing, ...(mediaType.endsWith('json') ? judge(text, asNode(schema)) : [])]
}

let judgedCount = 0

function judge(text: string, schema: Node): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return ['syntax']
  }
  const judged: JsonSchema = { ...schema }
  dereference(judged, lookup, undefined, `/judged/${judgedCount++}`)
  const { errors } = validate(value, judged, '2020-12', lookup, false)
  return [
    ...new Set(
      errors
        .filter(({ keyword }) => !OUTER.includes(keyword))
        .map(({ keyword, instanceLocation, error }) => `${keyword} ${placeOf(keyword, instanceLocation, error)}`),
    ),
  ]
}

function placeOf(keyword: string, location: string, error: string): string {
  const pointer = location.slice(1)
  const [, name = ''] = /"([^"]+)"/.exec(error) ?? []
  return keyword === 'required' || keyword === 'additionalProperties' ? `${pointer}/${name}` : pointer
}

/** What a validator must find in an answer that was broken, and nothing else. */
export function expectedBreaks(kind: string, pointer: string | undefined): string[] {
  const keyword = KEYWORDS[kind]
  return [keyword === undefined ? kind : `${keyword} ${pointer}`]
}
