import type { Reference } from './types.ts'

type Kind = 'examples' | 'headers' | 'parameters' | 'responses' | 'schemas'

const PREFIX = '#/components/'

export function refer(kind: Kind, name: string): Reference {
  return { $ref: `${PREFIX}${kind}/${name}` }
}

/** Keeps of some components those that a document refers to, directly or through others. */
export function keepReferred<Component>(
  kind: Kind,
  components: Readonly<Record<string, Component>>,
  document: unknown,
): Record<string, Component> {
  const names = new Set(referredNames(kind, document))
  for (const name of names) for (const next of referredNames(kind, components[name])) names.add(next)
  return Object.fromEntries(Object.entries(components).filter(([name]) => names.has(name)))
}

/** Puts some components in the place of the references to them. References to others stay. */
export function withoutReferences(value: unknown, components: Readonly<Record<string, object>>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, components))
  const component = '$ref' in value ? find(String(value.$ref), components) : undefined
  if (component) return withoutReferences(component, components)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutReferences(member, components)]))
}

function find(reference: string, components: Readonly<Record<string, object>>): unknown {
  const [kind = '', name = ''] = reference.slice(PREFIX.length).split('/')
  return new Map(Object.entries(components[kind] ?? {})).get(name)
}

function referredNames(kind: Kind, value: unknown): string[] {
  const references = (JSON.stringify(value) ?? '').matchAll(/"\$ref":"([^"]+)"/g)
  const prefix = `${PREFIX}${kind}/`
  return [...references].flatMap(([, target = '']) => (target.startsWith(prefix) ? [target.slice(prefix.length)] : []))
}
