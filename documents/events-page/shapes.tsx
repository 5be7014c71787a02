import type { AsyncDocument } from '../asyncapi/types.ts'
import { MemberList } from './member-list.tsx'
import { Prose } from './prose.tsx'

/** The schemas that several messages share. A schema of a single message is shown with the message. */
export function Shapes({ document: { components } }: { document: AsyncDocument }) {
  const payloadSchemas = Object.values(components.messages).map(({ payload }) => String(payload.$ref).split('/').at(-1))
  // `Planet` is the schema of a reply, but it also describes the planets in events. So it is listed here.
  const schemasOfOneMessage = payloadSchemas.filter((name) => name !== 'Planet')
  return (
    <>
      {Object.entries(components.schemas)
        .filter(([name]) => !schemasOfOneMessage.includes(name))
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
