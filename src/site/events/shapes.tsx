import type { AsyncDocument } from '../../asyncapi/types.ts'
import { MemberList } from './member-list.tsx'
import { Prose } from './prose.tsx'

/** The schemas that several messages share. Those of a single message stand there. */
export function Shapes({ document: { components } }: { document: AsyncDocument }) {
  const payloads = Object.values(components.messages).map(({ payload }) => String(payload.$ref).split('/').at(-1))
  // A reply is a planet, and so is the planet of an event.
  const own = payloads.filter((name) => name !== 'Planet')
  return (
    <>
      {Object.entries(components.schemas)
        .filter(([name]) => !own.includes(name))
        .map(([name, schema]) => (
          <section aria-labelledby={name}>
            <h3 id={name}>{name}</h3>
            {typeof schema.description === 'string' && (
              <p>
                <Prose text={schema.description} />
              </p>
            )}
            {Array.isArray(schema.enum) ? <p>One of {schema.enum.join(', ')}.</p> : <MemberList schema={schema} />}
          </section>
        ))}
    </>
  )
}
