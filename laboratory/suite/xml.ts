import {
  arrayOf,
  type Body,
  type CaseSchema,
  closed,
  type DeclaredCase,
  integer,
  oas,
  onlyIn32,
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
  {
    name: 'node-list',
    level: 'extended',
    title: 'Elements with an attribute and a text, in a list with an element of its own',
    ...onlyIn32(
      'implicit-and-explicit-text-nodes',
      'Explicit `text` nodes are necessary if an element has both attributes and content',
    ),
    body: {
      mediaType: 'application/xml',
      schema: {
        ...arrayOf({
          ...closed({
            id: { ...integer, xml: { nodeType: 'attribute' } },
            name: { ...text, xml: { nodeType: 'text' } },
          }),
          xml: { name: 'planet' },
          name: 'Planet',
        }),
        xml: { nodeType: 'element', name: 'planets' },
        name: 'Value',
      },
      input: [
        { id: 7, name: 'blue' },
        { id: 8, name: 'black' },
      ],
    },
  },
  {
    name: 'node-cdata',
    level: 'extended',
    title: 'A section of CDATA',
    ...onlyIn32('xml-node-types', '`cdata` (4): The schema represents a CDATA section'),
    body: planet({ text: { ...text, xml: { nodeType: 'cdata' } } }, { text: 'a < b & c' }, { name: 'note' }),
  },
  {
    name: 'node-reference',
    level: 'extended',
    title: 'A member that is only a reference has no element of its own',
    ...onlyIn32('xml-node-type', 'The default value is `none` if `$ref`, `$dynamicRef`, or `type: "array"` is present'),
    body: planet(
      { moon: { ...closed({ name: text }), name: 'Moon', element: 'XmlNodeReferenceMoon' } },
      { moon: { name: 'Io' } },
    ),
  },
]
