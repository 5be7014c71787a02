import { withoutReferences } from '../../documents/openapi/references.ts'

/** An OpenAPI document in which every reference, except those to schemas, is replaced by its target. */
export function dereferenced<Document extends { components: Record<string, object> }>(document: Document): Document {
  const { schemas: _, ...components } = document.components
  return Object(withoutReferences(document, { ...components }))
}
