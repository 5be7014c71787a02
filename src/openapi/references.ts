import type { Reference } from './types.ts'

type Kind = 'headers' | 'parameters' | 'responses' | 'schemas'

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

function referredNames(kind: Kind, value: unknown): string[] {
  const references = (JSON.stringify(value) ?? '').matchAll(/"\$ref":"([^"]+)"/g)
  const prefix = `${PREFIX}${kind}/`
  return [...references].flatMap(([, target = '']) => (target.startsWith(prefix) ? [target.slice(prefix.length)] : []))
}
