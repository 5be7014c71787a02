import type { Child } from 'hono/jsx'

/** A list of labels and values. A label without a value is left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: Child | undefined])[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '')
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
