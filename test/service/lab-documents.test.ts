import { setImmediate } from 'node:timers/promises'
import { BASIC } from '@hyperjump/json-schema/experimental'
import { validate as validate30 } from '@hyperjump/json-schema/openapi-3-0'
import { registerSchema, unregisterSchema, validate as validate31 } from '@hyperjump/json-schema/openapi-3-1'
import { validate as validate32 } from '@hyperjump/json-schema/openapi-3-2'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { UNTIL_31 } from '../../laboratory/test/table.ts'
import { selectCases } from '../../src/features/lab/select-cases.ts'
import { lint } from './linter.ts'
import { shareGalaxy } from './prepared-state.ts'

// The documents of the cases, as validators and readers of examples take them.

const galaxy = shareGalaxy()

/** The parts of a document that have schemas and examples. */
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Component> }
}

interface Component extends Example {
  properties?: Record<string, Example & { readOnly?: boolean }>
  required?: string[]
}

type Operations = Record<string, Operation>

interface Operation {
  operationId: string
  parameters?: (Example & { content?: Record<string, Example>; schema?: object })[]
  requestBody?: { content: Record<string, Example> }
}

interface Example {
  schema?: object
  /** Of a sequence, in OpenAPI 3.2. */
  itemSchema?: object
  example?: unknown
  examples?: { input: { dataValue: unknown } }
  encoding?: Record<string, { headers?: Record<string, Example> }>
}

async function read(path: string): Promise<Document> {
  const response = await fetch(galaxy.url + path)
  expect(response.status).toBe(200)
  return JSON.parse(await response.text())
}

/** All operations of a path. */
function operationsOf({ additionalOperations, ...item }: Operations): [method: string, operation: Operation][] {
  return Object.entries({ ...item, ...(additionalOperations as unknown as Operations) })
}

/** The example of a parameter or a body, in either form. */
const exampleIn = ({ example, examples }: Example) => examples?.input.dataValue ?? example

/** The schema of an example. That of a sequence is a list. */
const schemaIn = ({ schema, itemSchema }: Example) => schema ?? (itemSchema ? { type: 'array', items: itemSchema } : {})

/** What the linter says of the documents although it is meant. */
const ACCEPTED = [
  // A generator would make a union of both responses of each case.
  /operation-4xx-response/,
  // Two schemas that are open by being silent. The linter takes every silent schema for a closed one.
  /no-invalid-media-type-examples.*\/paths\/~1body~1any-of\//,
]

/** What the linter does not know of OpenAPI 3.2, by which cases are refused. */
const UNKNOWN_TO_LINTER = [
  // `style: cookie`.
  /struct.*\/paths\/~1cookie~1raw/,
  // A response with a summary and no description, and a reference that begins with `$self`.
  /\/paths\/~1body~1self-reference\//,
  /no-unused-components.*BodySelfReferenceValue/,
]

/** Validators that know no `$self` are given the document without the case that needs it. */
const WITHOUT_SELF = '?without=body/self-reference'

const DIALECTS = {
  '3.2': 'https://spec.openapis.org/oas/3.2/dialect',
  '3.1': 'https://spec.openapis.org/oas/3.1/dialect/base',
  '3.0': 'https://spec.openapis.org/oas/3.0/dialect',
} as const

describe.each([
  {
    version: '3.2',
    name: 'openapi-3.2.json',
    schema: 'https://spec.openapis.org/oas/3.2/schema-base',
    validate: validate32,
  },
  {
    version: '3.1',
    name: 'openapi.json',
    schema: 'https://spec.openapis.org/oas/3.1/schema-base',
    validate: validate31,
  },
  {
    version: '3.0',
    name: 'openapi-3.0.json',
    schema: 'https://spec.openapis.org/oas/3.0/schema',
    validate: validate30,
  },
] as const)('the document of the cases in OpenAPI $version', ({ version, name, schema, validate }) => {
  /** Both validators that are libraries. To read their schemas takes much longer than to check a document. */
  const validator = new Validator()
  let check: (document: ReturnType<typeof copy>, format: typeof BASIC) => { valid: boolean }

  beforeAll(async () => {
    check = await validate(schema)
  })

  async function requireValid(document: object): Promise<void> {
    // A connection that the service has closed meanwhile is noticed between two turns of the event loop.
    await setImmediate()
    const isKnown = !JSON.stringify(document).includes('"/body/self-reference"')
    if (isKnown) expect(await validator.validate(copy(document))).toEqual({ valid: true })
    expect(check(copy(document), BASIC)).toEqual({ valid: true })
  }

  it('is refused by both validators if it is not valid', async () => {
    const document = { ...(await read(`/lab/${name}`)), info: {} }
    expect((await validator.validate(copy(document))).valid).toBe(false)
    expect(check(copy(document), BASIC).valid).toBe(false)
  })

  it('is accepted by the linter with the stricter rules', async () => {
    const response = await fetch(`${galaxy.url}/lab/${name}`)
    // The linter takes a server on this machine for a mistake.
    const problems = await lint((await response.text()).replaceAll(galaxy.url, 'https://galaxy.test'))
    const accepted = [...ACCEPTED, ...(version === '3.2' ? UNKNOWN_TO_LINTER : [])]
    expect(problems.filter((problem) => !accepted.some((pattern) => pattern.test(problem)))).toEqual([])
    for (const pattern of accepted) expect(problems.filter((problem) => pattern.test(problem))).not.toEqual([])
  })

  it('is valid', async () => {
    await requireValid(await read(`/lab/${name}`))
    await requireValid(await read(`/lab/${name}${WITHOUT_SELF}`))
  })

  it('is valid without cases', async () => {
    await requireValid(await read(`/lab/${name}?only=path/two&without=path/*`))
  })

  // One function selects the cases of all versions, so each case is selected once: in 3.2, or else in an older version.
  it(`is valid with each ${version === '3.2' ? 'case' : 'group, and each case that 3.2 has not,'} alone`, async () => {
    const text = await (await fetch(`${galaxy.url}/lab/${name}`)).text()
    const idsIn = ({ paths }: Document) => Object.keys(paths).map((path) => path.split('/').slice(1, 3).join('/'))
    const groupOf = (id: string) => id.replace(/\/.*/, '/*')
    const ids = idsIn(JSON.parse(text))
    const isAlone = (id: string) => version === '3.2' || UNTIL_31.includes(id)
    for (const only of new Set(ids.map((id) => (isAlone(id) ? id : groupOf(id))))) {
      const selected = selectCases(text, { only }) as Document
      await requireValid(selected)
      expect(idsIn(selected)).toEqual(ids.filter((id) => [id, groupOf(id)].includes(only)))
      const references = JSON.stringify(selected).matchAll(/#\/components\/schemas\/(\w+)/g)
      expect(new Set(Object.keys(selected.components.schemas ?? {}))).toEqual(
        new Set([...references].map(([, name]) => name)),
      )
    }
  })

  it('has examples that are valid', async () => {
    const document = await read(`/lab/${name}`)
    const examples = examplesIn(document)
    // Each case that sends something but raw bytes.
    expect(examples.length).toBeGreaterThan(150)
    for (const [index, { place, schema: described, example }] of examples.entries()) {
      const uri = `https://galaxy.test/schemas/${version}/${index}`
      registerSchema(withComponents(described, document), uri, DIALECTS[version])
      const { valid } = await validate(uri, copy(example))
      unregisterSchema(uri)
      expect({ place, valid }).toEqual({ place, valid: true })
    }
  })

  it('has for each parameter and body what the case sends', async () => {
    const { cases } = JSON.parse(await (await fetch(`${galaxy.url}/lab/cases`)).text())
    const { paths } = await read(`/lab/${name}`)
    for (const { path, method, input, versions } of cases) {
      if (!versions.includes(version)) continue
      const operations = Object.fromEntries(operationsOf(paths[path] ?? {}))
      const { parameters = [], requestBody } = operations[method.toLowerCase()] ?? operations[method] ?? {}
      for (const parameter of parameters as (Example & {
        in: string
        name: string
        content?: Record<string, Example>
      })[]) {
        const value = input.parameters[parameter.in]?.[parameter.name]
        const [written = parameter as Example] = Object.values(parameter.content ?? {})
        expect({ path, example: exampleIn(written) ?? exampleIn(parameter) }).toEqual({ path, example: untag(value) })
      }
      for (const content of Object.values(requestBody?.content ?? {})) {
        const example = exampleIn(content)
        if (example !== undefined)
          expect({ path, example: withoutAlphabet(example) }).toEqual({ path, example: untag(input.body?.value) })
      }
    }
  })

  it('has no example at what PUT carries', async () => {
    const { paths } = await read(`/lab/${name}?only=response/*`)
    for (const { put } of Object.values(paths)) expect(JSON.stringify(put ?? {})).not.toContain('"example"')
  })

  it('has no boolean schemas, no union of types and no null alone', async () => {
    const document = await read(`/lab/${name}`)
    const text = JSON.stringify(document)
    expect(text).not.toMatch(/"(?:schema|items|contains)":(?:true|false)/)
    expect(text).not.toMatch(/"type":\[/)
    expect(text).not.toMatch(/"value":\{"type"/)
    expect(text.replaceAll(/"oneOf":\[\{"type":"\w+"(?:,"format":"[\w-]+")?\},\{"type":"null"\}\]/g, '')).not.toContain(
      '"null"',
    )
    for (const [component, described] of Object.entries(document.components.schemas)) {
      expect({ component, members: Object.keys(described.properties ?? {}) }).toEqual({
        component,
        members: expect.not.arrayContaining(['value']),
      })
    }
  })

  it('has each object, enum and union as a component', async () => {
    const { paths, components } = await read(`/lab/${name}`)
    const inline = [...JSON.stringify(paths).matchAll(/"(?:type":"object"|enum"|oneOf":\[\{"\$ref|anyOf"|allOf")/g)]
    expect(inline).toEqual([])
    for (const schema of Object.values(components.schemas)) {
      expect(JSON.stringify(schema).match(/"type":"object"/g)?.length ?? 0).toBeLessThanOrEqual(1)
    }
  })

  it('has no value in two enums, because some generators make constants of them', async () => {
    const { components } = await read(`/lab/${name}`)
    const values = Object.values(components.schemas).flatMap((schema) => ('enum' in schema ? schema.enum : []))
    expect(values).toEqual(['terrestrial', 'gas_giant', 'inner', 'outer'])
  })

  it('says the same of the verdict', async () => {
    const { Verdict } = (await read(`/lab/${name}`)).components.schemas
    const nullable = version === '3.0' ? '"nullable":true' : '"type":"null"'
    const members = Object.entries(Verdict?.properties ?? {})
    expect(members.map(([member]) => member)).toEqual([
      'case',
      'level',
      'verdict',
      'reason',
      'at',
      'received',
      'encoding',
      'expected',
    ])
    expect(members.filter(([, member]) => JSON.stringify(member).includes(nullable)).map(([member]) => member)).toEqual(
      ['reason', 'at', 'received', 'encoding', 'expected'],
    )
    expect(Verdict).toMatchObject({ additionalProperties: true, required: members.map(([member]) => member) })
  })

  it('leaves objects of answers open, and closes those of requests and reports', async () => {
    const { schemas } = (await read(`/lab/${name}`)).components
    const OPEN = /^(?:Verdict$|BodyAnyOf|BodyAllOf|BodyMap|BodyOpenObject|BodyEmptyOptions|Response)/
    for (const [component, schema] of Object.entries(schemas)) {
      if (!('type' in schema) || schema.type !== 'object') continue
      const isClosed = 'additionalProperties' in schema && schema.additionalProperties === false
      const shouldBeClosed = !OPEN.test(component) || /Outcome(?:Item)?$/.test(component)
      expect({ component, isClosed }).toEqual({ component, isClosed: shouldBeClosed })
    }
  })
})

it('requires read-only and write-only members in OpenAPI 3.0 only', async () => {
  const names = ['BodyReadOnlyValue', 'ResponseReadOnlyValue', 'ResponseWriteOnlyValue', 'BodyWriteOnlyValue']
  const required = async (name: string) => {
    const { schemas } = (await read(`/lab/${name}`)).components
    return names.map((component) => (schemas[component] as { required?: string[] }).required?.toSorted())
  }
  expect(await required('openapi.json')).toEqual([['name'], ['name'], ['name'], ['name', 'secret']])
  expect(await required('openapi-3.0.json')).toEqual([
    ['id', 'name'],
    ['id', 'name'],
    ['name', 'secret'],
    ['name', 'secret'],
  ])
})

it('gives a form with null no example, which would stop importers', async () => {
  for (const name of ['openapi.json', 'openapi-3.0.json']) {
    expect(JSON.stringify(await read(`/lab/${name}?only=form/null`))).not.toContain('"example"')
  }
})

it('describes raw bytes as each version does', async () => {
  const path = '?only=body/bytes'
  const [newer, older] = [await read(`/lab/openapi.json${path}`), await read(`/lab/openapi-3.0.json${path}`)]
  const schemaOf = ({ paths }: Document) =>
    Object.values(paths['/body/bytes']?.post?.requestBody?.content ?? {})[0]?.schema
  expect(schemaOf(newer)).toEqual({ contentMediaType: 'application/octet-stream' })
  expect(schemaOf(older)).toEqual({ type: 'string', format: 'binary' })
})

it('gives each member of a form and each part an example, but null and files', async () => {
  const { paths, components } = await read('/lab/openapi.json?only=form/*,multipart/*')
  const without: string[] = []
  for (const item of Object.values(paths)) {
    for (const { operationId } of Object.values(item)) {
      const name = `${operationId.replace(/^./, (letter) => letter.toUpperCase())}Value`
      for (const [member, schema] of Object.entries(components.schemas[name]?.properties ?? {})) {
        const { $ref = '' } = schema as { $ref?: string }
        const described = components.schemas[$ref.split('/').at(-1) ?? ''] ?? schema
        if (described.example === undefined) without.push(`${operationId}.${member}`)
      }
    }
  }
  expect(without).toEqual([
    'formOmitted.tag',
    'formNull.text',
    'multipartFile.file',
    'multipartFiles.files',
    'multipartFileType.image',
    'multipartFileAndJson.file',
    'multipartPartHeader.file',
    'multipartOmitted.file',
    'multipartFileName.file',
  ])
})

/** Every example of a document with its schema. */
function examplesIn({ paths, components }: Document): { place: string; schema: object; example: unknown }[] {
  const operations = Object.values(paths).flatMap((item) => operationsOf(item).map(([, operation]) => operation))
  const described = operations.flatMap(({ operationId, parameters = [], requestBody }) => {
    const contents = [...parameters.map(({ content }) => content ?? {}), requestBody?.content ?? {}].flatMap(
      Object.values<Example>,
    )
    const headers = contents.flatMap(({ encoding = {} }) =>
      Object.values(encoding).flatMap(({ headers: own = {} }) => Object.values(own)),
    )
    // The example of a whole query is beside its content, which has the schema.
    const whole = parameters.map(({ content = {}, ...parameter }) => ({ ...Object.values(content)[0], ...parameter }))
    return [...whole, ...contents, ...headers].map((one) => ({
      place: operationId,
      schema: schemaIn(one),
      example: exampleIn(one),
    }))
  })
  const members = Object.entries(components.schemas).flatMap(([name, schema]) => {
    const own = Object.entries(schema.properties ?? {}).map(([member, { example, ...rest }]) => ({
      place: `${name}.${member}`,
      schema: rest,
      example,
    }))
    const { example, ...rest } = schema
    return [...own, { place: name, schema: rest, example }]
  })
  return [...described, ...members].filter(({ example }) => example !== undefined)
}

/**
 * A schema beside the components that it may refer to. They are an extension, because OpenAPI 3.0 knows no other members,
 * and ignores those beside a reference.
 */
function withComponents(schema: object, { components }: Document): ReturnType<typeof copy> {
  const schemas = Object.entries(components.schemas).map(([name, component]) => [name, forRequests(component)])
  const text = JSON.stringify({ allOf: [schema], 'x-components': { schemas: Object.fromEntries(schemas) } })
  return JSON.parse(text.replaceAll(/"[^"#]*#\/components\//g, '"#/x-components/'))
}

/** In a request, OpenAPI 3.0 does not require what is read-only (3.0.4, "Fixed Fields" of the Schema Object). */
function forRequests(component: Component): Component {
  const { required, properties = {}, ...rest } = component
  const asked = required?.filter((name) => !properties[name]?.readOnly)
  return { ...rest, ...(component.properties && { properties }), ...(asked?.length && { required: asked }) }
}

/** A copy, with the type that validators expect. */
// biome-ignore lint/suspicious/noExplicitAny: a validator is what checks the shape
function copy(value: unknown): any {
  return JSON.parse(JSON.stringify(value))
}

/** The value within a tag, as an example has it. */
function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag)
  if (typeof value !== 'object' || value === null) return value
  const [[tag = '', content] = []] = Object.entries(value)
  if (tag === '$int64') return Number(content)
  if (tag === '$file') return (content as { bytes: string }).bytes
  if (['$date', '$dateTime', '$bytes'].includes(tag)) return content
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, untag(member)]))
}

/** Bytes in the alphabet for URLs, in that of the catalogue. */
function withoutAlphabet(example: unknown): unknown {
  const isObject = typeof example === 'object' && example !== null
  return isObject && 'bytes' in example && example.bytes === '-_8=' ? { bytes: '+/8=' } : example
}
