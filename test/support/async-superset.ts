// Compares two AsyncAPI documents: what the first says and the second does not. References are followed where the other
// document has something else than the same reference.

type Node = Record<string, unknown>

/**
 * Members for people. Every document has its own words and examples. A property of a schema with such a name is no
 * text.
 */
const TEXTS = ['title', 'summary', 'description', 'examples']

/**
 * @returns What the first document has and the second lacks or says differently, as paths with values, such as
 * `components.schemas.Planet.required[]: "name"`
 */
export function compareEvents(first: Node, second: Node): string[] {
  return [...missing(first, second, '')]

  function* missing(wanted: unknown, found: unknown, path: string): Generator<string> {
    const reference = referenceOf(wanted)
    if (reference !== undefined && reference === referenceOf(found)) return
    const [one, other] = [resolve(wanted, first), resolve(found, second)]
    if (Array.isArray(one)) yield* missingItems(one, Array.isArray(other) ? other : [], path)
    else if (isNode(one)) yield* isNode(other) ? missingMembers(one, other, path) : [path]
    else if (one !== other) yield `${path}: ${JSON.stringify(one)}`
  }

  function* missingMembers(wanted: Node, found: Node, path: string): Generator<string> {
    for (const [key, value] of Object.entries(wanted)) {
      if (TEXTS.includes(key) && (typeof value === 'string' || Array.isArray(value))) continue
      const inner = path === '' ? key : `${path}.${key}`
      yield* missing(value, found[key], inner)
    }
  }

  /** The order of items means nothing in the lists of the document. */
  function* missingItems(wanted: readonly unknown[], found: readonly unknown[], path: string): Generator<string> {
    for (const item of wanted) {
      if (!found.some((other) => [...missing(item, other, '')].length === 0)) yield `${path}[]: ${nameOf(item)}`
    }
  }
}

function nameOf(item: unknown): string {
  return referenceOf(item) ?? JSON.stringify(item)
}

function resolve(value: unknown, document: Node): unknown {
  const reference = referenceOf(value)
  if (reference === undefined) return value
  const steps = reference.replace('#/', '').split('/')
  return resolve(
    steps.reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), document),
    document,
  )
}

function referenceOf(value: unknown): string | undefined {
  return isNode(value) && typeof value.$ref === 'string' ? value.$ref : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}
