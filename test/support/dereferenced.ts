import { withoutReferences } from '../../src/openapi/references.ts'

/** An OpenAPI document in which everything but schemas stands where it is referred to. */
export function dereferenced<Document extends { components: Record<string, object> }>(document: Document): Document {
  const { schemas: _, ...components } = document.components
  return Object(withoutReferences(document, { ...components }))
}
