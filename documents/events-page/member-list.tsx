import type { Schema } from '../openapi/types.ts'
import { listMembers, type Member } from './members.ts'
import { Prose } from './prose.tsx'

/** @param schema A schema of the AsyncAPI document */
export function MemberList({ schema }: { schema: Schema }) {
  return (
    <dl class="terms event-members">
      {listMembers(schema).map((member) => (
        <div>
          <dt>
            <code>{member.path}</code> <span class="soft">{describe(member)}</span>
          </dt>
          <dd>
            <Prose text={member.description} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function describe({ type, shape, isRequired }: Member) {
  const words = shape === undefined ? type : linkShape(type, shape)
  return isRequired ? <>{words}, always present</> : words
}

/** A type in words that ends with the name of a shape. The name becomes a link to the shape. */
function linkShape(type: string, shape: string) {
  return (
    <>
      {type.slice(0, -shape.length)}
      <a href={`#${shape}`}>{shape}</a>
    </>
  )
}
