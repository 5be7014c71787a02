import { membersOf } from '../../src/lib/objects.ts'
import type { Reference } from './types.ts'

type Kind = 'examples' | 'headers' | 'links' | 'parameters' | 'responses' | 'schemas'

const PREFIX = '#/components/'

export function refer(kind: Kind, name: string): Reference {
  return { $ref: `${PREFIX}${kind}/${name}` }
}

/** A name that every programming language takes: the letters and digits of a header, such as `XRequestID`. */
export function identifierOf(header: string): string {
  return header.replaceAll(/[^A-Za-z0-9]/g, '')
}

/** Returns the components that a part of a document refers to, directly or through other components. */
export function keepUsedComponents<
  Components extends Readonly<Partial<Record<Kind, Readonly<Record<string, object>>>>>,
>(components: Components, part: unknown): Components {
  const followed = new Set<string>()
  const follow = (value: unknown): void => {
    const newReferences = referencesIn(value).filter((reference) => !followed.has(reference))
    for (const reference of newReferences) followed.add(reference)
    for (const reference of newReferences) follow(findComponent(reference, components))
  }
  follow(part)
  const keptComponents = Object.entries(components).map(([kind, members]) => [
    kind,
    Object.fromEntries(Object.entries(members).filter(([name]) => followed.has(`${PREFIX}${kind}/${name}`))),
  ])
  // The cast is safe, because every kind of component is still there, with some of its components.
  return Object.fromEntries(keptComponents) as Components
}

/** Copies a value, and replaces references to the given components with the components. Other references stay. */
export function withoutReferences(value: unknown, components: Readonly<Record<string, object>>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, components))
  const component = '$ref' in value ? findComponent(String(value.$ref), components) : undefined
  if (component) return withoutReferences(component, components)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutReferences(member, components)]))
}

/** The component that a reference names; undefined if the components do not contain it. */
function findComponent(reference: string, components: Readonly<Record<string, object>>): unknown {
  const [kind = '', name = ''] = reference.slice(PREFIX.length).split('/')
  return ownMember(membersOf(ownMember(components, kind)), name)
}

/** Returns a member of an object itself; undefined for members that it inherits, such as `constructor`. */
function ownMember(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value
}

/** The different references in a value, at any depth. */
function referencesIn(value: unknown): string[] {
  const references = (JSON.stringify(value) ?? '').matchAll(/"\$ref":"([^"]+)"/g)
  return [...new Set([...references].map(([, target = '']) => target))]
}
