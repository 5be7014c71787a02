import { parse, stringify } from 'lossless-json'

/** The groups of cases in which `explode` has a meaning. */
export const GROUPS_WITH_EXPLODE = ['path/*', 'query/*', 'header/*', 'cookie/*', 'form/*']

/** The styles that have a form for both values of `explode` (OpenAPI 3.2.0, "Style Examples"). */
const STYLES_OF_BOTH = ['simple', 'label', 'matrix', 'form', 'cookie']

interface Serialized {
  style?: string
  explode?: boolean
}

interface Parameter extends Serialized {
  in: string
  schema?: Schema
}

type Schema = { $ref?: string; type?: string | string[] }

interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { encoding?: Record<string, Serialized> }> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/**
 * A document in which each `explode` is the opposite, also where it is the default: of parameters that are lists or
 * objects and whose style has both forms, and of members of forms whose encoding names such a style. A client that reads
 * the document writes these in another way, and everything else as before.
 */
export function withOppositeExplode(text: string): string {
  // There are examples that no number of JavaScript is.
  const document = parse(text) as Document
  const typeOf = (schema: Schema): Schema['type'] => {
    const name = schema.$ref?.split('/').at(-1)
    const named = name === undefined ? undefined : document.components.schemas[name]
    return named ? typeOf(named) : schema.type
  }
  const turn = (serialized: Serialized, style: string) => {
    if (STYLES_OF_BOTH.includes(style)) serialized.explode = !(serialized.explode ?? ['form', 'cookie'].includes(style))
  }
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? []) {
      const type = parameter.schema && typeOf(parameter.schema)
      const style = parameter.style ?? (['query', 'cookie'].includes(parameter.in) ? 'form' : 'simple')
      if (type === 'array' || type === 'object') turn(parameter, style)
    }
    for (const { encoding = {} } of Object.values(operation.requestBody?.content ?? {})) {
      for (const serialized of Object.values(encoding)) if (serialized.style) turn(serialized, serialized.style)
    }
  }
  return stringify(document, null, 2) ?? ''
}
