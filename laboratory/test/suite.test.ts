import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLaboratory } from '../../documents/documents.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { eachRow } from '../../test/support/each-row.ts'
import type { JudgedCase } from '../case.ts'
import { CASE_FILES } from '../files.ts'
import { judgeSync, type PlainRequest } from '../library.ts'
import { SUITE } from '../suite/suite.ts'
import { COUNTS, COUNTS_IN, ONLY_IN_32, TABLE, versionsOf } from './table.ts'

const FILES = Object.fromEntries(describeLaboratory().map(({ name, text }) => [name, text]))
const CATALOGUE: Catalogue = JSON.parse(FILES[CASE_FILES.catalogue] ?? '')
const JUDGED: readonly JudgedCase[] = JSON.parse(FILES[CASE_FILES.judged] ?? '').cases

interface Catalogue {
  suite: string
  cases: readonly Entry[]
}

interface Entry {
  id: string
  operationId: string
  method: string
  path: string
  group: string
  level: string
  title: string
  input: { parameters: Record<string, Record<string, unknown>>; body?: { mediaType: string; value: unknown } }
  wire: string | null
  specification: string
  versions: string[]
}

const ROWS = Object.entries(TABLE).flatMap(([group, rows]) =>
  rows.map(([name, level, wire, input]) => ({ id: `${group}/${name}`, level, wire, input })),
)

const entryOf = (id: string) => CATALOGUE.cases.find((entry) => entry.id === id)
const judgedOf = (id: string) => JUDGED.find((judged) => judged.id === id)

/** The value within a tag, as the table writes it. */
function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag)
  if (typeof value !== 'object' || value === null) return value
  const [[tag, content] = ['', undefined]] = Object.entries(value)
  if (tag === '$int64') return Number(content)
  if (
    ['$date', '$dateTime', '$bytes'].includes(tag) &&
    Object.keys(value).length === 1 &&
    typeof content === 'string'
  ) {
    return content
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, untag(member)]))
}

/** What a row may mean by its input: the body, all parameters by name, or the only one. */
function readingsOf({ input }: Entry): unknown[] {
  const byName = Object.assign({}, ...Object.values(input.parameters))
  return [input.body?.value, byName, ...Object.values(byName)].map(untag)
}

it('has the cases of the published table, in its order', () => {
  expect(CATALOGUE.suite).toBe(SUITE)
  expect(CATALOGUE.cases.map(({ id, level, wire }) => ({ id, level, wire: wire ?? '-' }))).toEqual(
    ROWS.map(({ id, level, wire }) => ({ id, level, wire })),
  )
})

it.each(['core', 'extended', 'open'] as const)('has as many cases of level %s as docs/lab.md says', async (level) => {
  const page = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
  expect(page).toMatch(new RegExp(`^\\| \`${level}\` .*\\| ${COUNTS[level]} +\\|$`, 'm'))
})

it('sends the input of the table', () => {
  const sending = ROWS.filter(({ id, input }) => input !== undefined && !/^response|base64url/.test(id))
  return eachRow(sending, ({ id, input = '' }) => {
    const entry = entryOf(id)
    expect(entry && readingsOf(entry)).toContainEqual(JSON.parse(input))
  })
})

it('says which versions of OpenAPI can describe each case', () => {
  expect(CATALOGUE.cases.map(({ id, versions }) => ({ id, versions }))).toEqual(
    ROWS.map(({ id }) => ({ id, versions: versionsOf(id) })),
  )
  expect(JUDGED.map(({ id, versions }) => ({ id, versions }))).toEqual(
    ROWS.map(({ id }) => ({ id, versions: versionsOf(id) })),
  )
})

it('has as many cases as were published', () => {
  expect(COUNTS).toEqual({ all: 206, judged: 190, core: 99, extended: 91, open: 16 })
  expect(COUNTS_IN['3.1']).toEqual({ all: 182, judged: 167, core: 93, extended: 74, open: 15 })
  expect([COUNTS_IN['3.2'].all, COUNTS_IN['3.0'].all]).toEqual([203, 179])
})

it('has ids of operations that stay different without case and signs', () => {
  const ids = CATALOGUE.cases.map(({ operationId }) => operationId)
  expect(ids[ROWS.findIndex(({ id }) => id === 'query/form-array')]).toBe('queryFormArray')
  expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(COUNTS.all)
})

it('has one title and one path for each case', () => {
  for (const { id, path, title, specification } of CATALOGUE.cases) {
    expect(path.startsWith(`/${id}`)).toBe(true)
    expect(title).toMatch(/^[A-Z0-9].*[^.]$/)
    expect(specification).toMatch(
      /^https:\/\/(?:spec\.openapis\.org\/oas\/v3\.(?:1\.2|2\.0)|www\.rfc-editor\.org\/rfc\/rfc\d+|www\.w3\.org\/TR\/xml\/)\S*#\S+$/,
    )
  }
})

it('tags what JSON cannot say', () => {
  expect(entryOf('path/int64')?.input.parameters).toEqual({ path: { value: { $int64: '9007199254740993' } } })
  expect(entryOf('query/date')?.input.parameters).toEqual({ query: { value: { $date: '2026-02-28' } } })
  expect(entryOf('body/date-time')?.input.body?.value).toEqual({ at: { $dateTime: '2026-02-28T23:30:00+02:00' } })
  expect(entryOf('body/base64url')?.input.body?.value).toEqual({ bytes: { $bytes: '+/8=' } })
  expect(entryOf('multipart/empty-file')?.input.body).toEqual({
    mediaType: 'multipart/form-data',
    value: { file: { $file: { name: 'empty.bin', type: 'application/octet-stream', bytes: '' } } },
  })
  expect(FILES[CASE_FILES.catalogue]).toMatch(/"value": -0\b/)
})

it('names parameters with one name by their place', () => {
  expect(entryOf('query/same-name')?.input.parameters).toEqual({ path: { id: 1 }, query: { id: 2 }, header: { id: 3 } })
})

describe('the examples of cases of OpenAPI 3.2', () => {
  interface Serialized {
    examples?: { input: { serializedValue?: string } }
  }
  interface Operation {
    parameters?: (Serialized & { in: string })[]
    requestBody?: { content: Record<string, Serialized> }
  }
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(FILES[CASE_FILES.json32] ?? '')
  const serializedOf = ({ examples }: Serialized) => examples?.input.serializedValue

  /** The request that the serialized value of an operation is. */
  function requestOf(id: string, { parameters = [], requestBody }: Operation): PlainRequest | undefined {
    for (const parameter of parameters) {
      const value = serializedOf(parameter)
      if (value === undefined) continue
      if (parameter.in === 'path') return { method: 'GET', url: `/${id}/${value}` }
      if (parameter.in === 'querystring') return { method: 'GET', url: `/${id}?${value}` }
      return { method: 'GET', url: `/${id}`, headers: { [parameter.in]: value } }
    }
    for (const [mediaType, content] of Object.entries(requestBody?.content ?? {})) {
      const body = serializedOf(content)
      if (body !== undefined) return { method: 'POST', url: `/${id}`, headers: { 'Content-Type': mediaType }, body }
    }
    return undefined
  }

  const serialized = Object.entries(paths).flatMap(([path, item]) => {
    const id = path.split('/').slice(1, 3).join('/')
    return Object.values(item).flatMap((operation) => {
      const request = requestOf(id, operation)
      return request ? [{ id, request }] : []
    })
  })

  it('have a serialized value if the form is no JSON and has no parts', () => {
    expect(serialized.map(({ id }) => id)).toEqual(
      ONLY_IN_32.filter((id) => !/^(?:multipart|response)|(?:method|self-reference)$/.test(id)),
    )
  })

  it('pass as they are serialized', () =>
    eachRow(serialized, ({ id, request }) => {
      const isOpen = id === 'form/serialized-example'
      expect(judgeSync(id, request)).toMatchObject({
        verdict: isOpen ? 'info' : 'pass',
        reason: isOpen ? 'serialized' : null,
      })
    }))
})

/** What GET of the new responses sends, as it was published. */
const SENT: Readonly<Record<string, readonly [mediaType: string, body: string, report: string]>> = {
  'response/events': [
    'text/event-stream',
    ': a comment\nevent: moon\ndata: one\ndata:two\n\ndata: three: 3\ncolor: ignored\n\nevent: none\n\nevent:star\r\ndata:  four\r\n\r\n',
    '[{"event":"moon","data":"one\\ntwo"},{"data":"three: 3"},{"event":"star","data":" four"}]',
  ],
  'response/events-json': [
    'text/event-stream',
    'id: 1\nretry: 1500\nevent: count\ndata: {"name":"blue",\ndata: "count":3}\n\nid: 2\nevent: count\ndata: {"name":"a\\nb","count":0}\n\n',
    '[{"id":"1","event":"count","retry":1500,"data":{"name":"blue","count":3}},{"id":"2","event":"count","data":{"name":"a\\nb","count":0}}]',
  ],
  'response/jsonl': [
    'application/jsonl',
    '{"text":"a\u2028b"}\r\n{"text":"c\\nd"}\n{"text":""}',
    '[{"text":"a\u2028b"},{"text":"c\\nd"},{"text":""}]',
  ],
  'response/json-seq': [
    'application/json-seq',
    '\x1e{\n  "text": "a"\n}\n\x1e{"text":"b\\u001e"}\n',
    '[{"text":"a"},{"text":"b\\u001e"}]',
  ],
  'response/multipart-mixed': [
    'multipart/mixed; boundary="a=_b"',
    'preamble\r\n--a=_b\r\nContent-Type: application/json\r\n\r\n{"name":"blue"}\r\n--a=_b \t\r\ncontent-type: application/json; charset=utf-8\r\n\r\n{"name":"--a=_b"}\r\n--a=_b--\r\nepilogue',
    '[{"name":"blue"},{"name":"--a=_b"}]',
  ],
  'response/default-mapping': [
    'application/json',
    '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"comet","name":"Halley"},{"name":"Ceres"}]}',
    '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"comet","name":"Halley"},{"name":"Ceres"}]}',
  ],
}

it.each(Object.entries(SENT))('%s sends what was published, and PUT should carry what was published', (id, row) => {
  const { answer, wire } = judgedOf(id) ?? {}
  expect([answer?.headers?.['Content-Type'], answer?.body, wire]).toEqual(row)
})

describe('what the judge compares', () => {
  it('has the cases of the catalogue, in its order', () => {
    expect(JUDGED.map(({ id, level, operationId }) => ({ id, level, operationId }))).toEqual(
      CATALOGUE.cases.map(({ id, level, operationId }) => ({ id, level, operationId })),
    )
  })

  const parameters: readonly (readonly [string, object])[] = [
    [
      'path/label-array',
      { in: 'path', name: 'color', style: 'label', explode: false, expected: listOf('blue', 'black', 'brown') },
    ],
    [
      'query/form-array-explode',
      { in: 'query', name: 'color', style: 'form', explode: true, expected: listOf('blue', 'black', 'brown') },
    ],
    ['query/omitted', { in: 'query', name: 'color', style: 'form', explode: true }],
    [
      'query/int64',
      {
        in: 'query',
        name: 'value',
        style: 'form',
        explode: true,
        expected: { is: 'integer', value: '9007199254740993' },
      },
    ],
    [
      'header/integer',
      { in: 'header', name: 'X-Count', style: 'simple', explode: false, expected: { is: 'integer', value: '0' } },
    ],
    [
      'path/date-time',
      {
        in: 'path',
        name: 'value',
        style: 'simple',
        explode: false,
        expected: { is: 'instant', value: '2026-02-28T23:30:00+02:00' },
      },
    ],
  ]
  it('has the parameters of each case', () =>
    eachRow(parameters, ([id, parameter]) => expect(judgedOf(id)?.parameters).toEqual([parameter])))

  it('does not look at the header Authorization', () => {
    expect(JUDGED.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name.toLowerCase()))).not.toContain(
      'authorization',
    )
  })

  it('compares an object of a request as closed, and a response that comes back as open', () => {
    expect(judgedOf('body/absent')?.body).toEqual({
      as: 'json',
      mediaType: 'application/json',
      expected: { is: 'object', members: {} },
    })
    expect(judgedOf('body/read-only')?.body).toMatchObject({ expected: { tolerated: ['id'] } })
    expect(judgedOf('body/any-of')?.body).toMatchObject({ expected: { isOpen: true } })
    expect(judgedOf('body/discriminator')?.body).not.toMatchObject({ expected: { isOpen: true } })
    expect(judgedOf('response/absent')?.body).toEqual({
      as: 'json',
      mediaType: 'application/json',
      expected: {
        is: 'object',
        members: { name: { is: 'text', value: 'blue' } },
        isOpen: true,
        absent: ['note', 'count', 'tags'],
      },
    })
    expect(judgedOf('response/map')?.body).not.toMatchObject({ expected: { isOpen: true } })
    expect(judgedOf('response/read-only')?.body).not.toMatchObject({ expected: { isOpen: true } })
  })

  it('has parts with the media type that counts', () => {
    expect(judgedOf('multipart/files')?.body).toMatchObject({ parts: [{ name: 'files' }, { name: 'files' }] })
    expect(judgedOf('multipart/json-array')?.body).toEqual({
      as: 'multipart',
      mediaType: 'multipart/form-data',
      parts: [{ name: 'tags', isJson: true, contentType: 'application/json', expected: listOf('a', 'b') }],
    })
    expect(judgedOf('multipart/part-header')?.body).toMatchObject({
      parts: [{ headers: { 'X-Part': { is: 'integer', value: '7' } } }],
    })
    expect(judgedOf('multipart/omitted')?.body).toMatchObject({ parts: [{ name: 'name' }] })
  })

  it('has the members of a form with their styles', () => {
    expect(judgedOf('form/object')?.body).toMatchObject({ fields: [{ in: 'form', name: 'color', isJson: true }] })
    expect(judgedOf('form/deep-object')?.body).toMatchObject({ fields: [{ style: 'deepObject', explode: true }] })
    expect(judgedOf('form/omitted')?.body).toMatchObject({ fields: [{ name: 'name' }, { name: 'tag' }] })
  })

  it('knows what GET answers, and what PUT should carry', () => {
    const { answer, method, wire } = judgedOf('response/number-forms') ?? {}
    expect(method).toBe('PUT')
    expect(answer).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: '{"exponent":1E2,"fraction":1.50,"whole":1.0}',
    })
    expect(wire).toBe('{"exponent":100,"fraction":1.5,"whole":1}')
    expect(judgedOf('response/bytes')?.wire).toBe(judgedOf('response/bytes')?.answer?.body)
    expect(judgedOf('response/int64')?.wire).toContain('9007199254740993')
  })

  it('sends in each response what the schema of the decoded value says', () => {
    for (const { id, answer, body, level } of JUDGED) {
      if (body?.as !== 'json' || !answer?.body?.startsWith('{') || level === 'open') continue
      if (body.expected.is !== 'object') continue
      const members = Object.keys(body.expected.members)
      const sent = Object.keys(JSON.parse(answer.body))
      const reported = members.filter(
        (name) => !sent.includes(name) && !['status', 'colors', 'count', 'since'].includes(name),
      )
      expect({ id, reported }).toEqual({ id, reported: [] })
    }
  })

  it('judges a redirect at its target', () => {
    expect(judgedOf('redirect/303-post')).toMatchObject({
      method: 'POST',
      body: { as: 'none' },
      redirect: {
        answer: { status: 303, headers: { Location: '/redirect/303-post/target' } },
        target: 'target',
        method: 'GET',
      },
    })
    expect(judgedOf('redirect/relative')).toMatchObject({
      path: '/redirect/relative/start',
      parameters: [{ in: 'query', name: 'x', expected: { is: 'text', value: '1' } }],
      redirect: { answer: { headers: { Location: 'target?x=1' } } },
    })
  })

  it('names the variants of every open case, and of no other', () => {
    for (const { id, level, variants, wire } of JUDGED) {
      expect({ id, isOpen: variants !== undefined }).toEqual({ id, isOpen: level === 'open' })
      for (const [, pattern] of variants ?? []) expect(() => new RegExp(pattern)).not.toThrow()
      if (level === 'open') expect(wire).toBeNull()
    }
  })

  const named: readonly (readonly [string, string, string])[] = [
    ['query/deep-nested', 'filter[a][b]=1&filter[c][0]=1&filter[c][1]=2', 'brackets for both'],
    ['query/deep-nested', 'filter%5Ba%5D%5Bb%5D=1&filter%5Bc%5D%5B%5D=1', 'brackets for both'],
    ['query/deep-nested', 'filter[a.b]=1&filter[c]=1', 'dots'],
    ['query/deep-nested', 'filter%5Ba%5D=%7B%22b%22%3A1%7D', 'JSON'],
    ['query/deep-nested', 'filter=a,b', 'other'],
    ['query/deep-nested', 'a=%7B%27b%27%3A+1%7D&c=1&c=2', 'other'],
    ['query/empty-array', '', 'absent'],
    ['query/empty-array', 'color=', 'color='],
    ['query/null', 'color=null', 'null'],
    ['query/default', 'limit=10', 'limit=10'],
    ['header/ignored', '*/*', 'ignored'],
    ['header/utf8', 'größe', 'UTF-8'],
    ['header/utf8', 'gr\uFFFD\uFFFDe', 'Latin-1'],
    ['header/utf8', 'gr%C3%B6%C3%9Fe', 'encoded'],
    ['cookie/array', 'color=blue%2Cblack%2Cbrown', 'encoded commas'],
    ['cookie/array', 'color=blue; color=black; color=brown', 'several'],
    ['cookie/encoded', 'color="a b;c"', 'quoted'],
    ['cookie/encoded', 'color=a%20b%3Bc', 'percent-encoded'],
    ['cookie/encoded', 'color=a b', 'raw'],
    ['cookie/encoded', '', 'other'],
    ['form/null', 'text=', 'empty'],
    ['multipart/file-name', 'filename="größe.txt"', 'raw UTF-8'],
    ['multipart/file-name', "filename*=UTF-8''gr%C3%B6%C3%9Fe.txt", 'filename*'],
    ['body/negative-zero', '-0.0', '-0'],
    ['body/negative-zero', '0', '0'],
    ['body/negative-zero', '5', 'other'],
    ['body/two-types', '{"name":"blue"}', 'JSON'],
    ['body/two-types', '<?xml version="1.0"?><planet/>', 'XML'],
    ['response/unknown-enum', '{"name":"blue","type":"ocean"}', 'returned'],
    ['response/unknown-enum', '{"name":"blue"}', 'dropped'],
    ['response/byte-order-mark', '{"name":"blue"}', 'read'],
    ['response/byte-order-mark', '{"name":null}', 'other'],
  ]
  it('calls what arrives in an open case by its name', () =>
    eachRow(named, ([id, received, name]) => {
      const { variants = [] } = judgedOf(id) ?? {}
      expect(variants.find(([, pattern]) => new RegExp(pattern).test(received))?.[0]).toBe(name)
    }))
})

function listOf(...texts: string[]) {
  return { is: 'list', items: texts.map((value) => ({ is: 'text', value })) }
}
