import {
  arrayOf,
  type Body,
  type CaseSchema,
  closed,
  type DeclaredCase,
  integer,
  oas,
  text,
  type Value,
} from './declare.ts'

const NAMESPACE = { namespace: 'https://galaxy.example/ns', prefix: 'g' }

function planet(properties: Readonly<Record<string, CaseSchema>>, input: Value, xml: CaseSchema['xml'] = {}): Body {
  return { mediaType: 'application/xml', schema: { ...closed(properties), xml: { name: 'planet', ...xml } }, input }
}

/** A member that is a list of elements `tag`. */
const tags = (wrapped: boolean): CaseSchema => ({
  ...arrayOf({ ...text, xml: { name: 'tag' } }),
  ...(wrapped && { xml: { wrapped: true } }),
})

export const XML: readonly DeclaredCase[] = [
  {
    name: 'attribute',
    level: 'extended',
    title: 'A member that is an attribute',
    specification: oas('xml-attribute-prefix-and-namespace'),
    body: planet({ id: { ...integer, xml: { attribute: true } }, name: text }, { id: 7, name: 'blue' }),
  },
  {
    name: 'wrapped',
    level: 'extended',
    title: 'A list with an element around it',
    specification: oas('xml-arrays'),
    body: planet({ tags: tags(true) }, { tags: ['a', 'b'] }),
  },
  {
    name: 'unwrapped',
    level: 'extended',
    title: 'A list without an element around it',
    specification: oas('xml-arrays'),
    body: planet({ tags: tags(false) }, { tags: ['a', 'b'] }),
  },
  {
    name: 'namespace',
    level: 'extended',
    title: 'Elements of a namespace, with a prefix',
    specification: oas('xml-attribute-prefix-and-namespace'),
    body: planet({ name: { ...text, xml: NAMESPACE } }, { name: 'blue' }, NAMESPACE),
  },
  {
    name: 'escaped',
    level: 'extended',
    title: 'Characters that mean something in XML are escaped',
    specification: 'https://www.w3.org/TR/xml/#syntax',
    body: planet({ name: text }, { name: 'a < b & c' }),
  },
]
