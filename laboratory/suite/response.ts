import {
  ALL_BYTES,
  type Answer,
  arrayOf,
  BEYOND_DOUBLE,
  binary,
  boolean,
  type CaseSchema,
  closed,
  DAY,
  type DeclaredCase,
  date,
  dateTime,
  int64,
  integer,
  mapOf,
  nullableText,
  number,
  oas,
  onlyIn32,
  open,
  rfc,
  text,
  type Value,
} from './declare.ts'

const JSON_TYPE = 'application/json'

/** JSON as it is sent, and what it says. PUT has the schema of the response. */
function json(schema: CaseSchema, body: string, value: Value, mediaType = JSON_TYPE): Answer {
  return { status: 200, mediaType, body, schema, report: { mediaType: JSON_TYPE, value } }
}

/** PUT carries a small report. */
function reported(
  answer: Omit<Answer, 'report'>,
  properties: Readonly<Record<string, CaseSchema>>,
  value: Value,
): Answer {
  return { ...answer, report: { mediaType: JSON_TYPE, schema: { ...closed(properties), name: 'Outcome' }, value } }
}

/** One item after the other. PUT carries a list of them. */
function sequence(item: CaseSchema, mediaType: string, body: string, items: readonly Value[]): Answer {
  const schema: CaseSchema = { ...arrayOf(item), name: 'Value' }
  return { ...json(schema, body, items, mediaType), isSequence: true }
}

/** PUT carries the items as they are after more was decoded in them. */
function decoded(answer: Answer, item: CaseSchema): Answer {
  return { ...answer, report: { ...answer.report, schema: { ...arrayOf(item), name: 'Outcome' } } }
}

/** A status with JSON that says what is wrong, of which PUT carries status and code. */
function failing(status: number, documentedAs: string, code: string): Answer {
  const schema: CaseSchema = { ...open({ code: text }), name: 'Failure' }
  const documented = { 200: { ...open({ name: text }), name: 'Success' }, [documentedAs]: schema }
  const body = JSON.stringify({ code })
  return reported(
    { status, mediaType: JSON_TYPE, body, schema, documented },
    { status: integer, code: text },
    { status, code },
  )
}

const moon: CaseSchema = { ...open({ kind: text, diameter: integer }), name: 'Moon' }
const star: CaseSchema = { ...open({ kind: text, temperature: integer }), name: 'Star' }
const body: CaseSchema = {
  oneOf: [moon, star],
  discriminator: { propertyName: 'kind', mapping: { moon: 'Moon', star: 'Star' } },
}
const named = open({ name: text })
/** What the data of an event says. */
const count: CaseSchema = { ...open({ name: text, count: integer }), name: 'Data' }

const SCHEMAS = oas('json-schema-keywords')
const VALUES = rfc(8259, '3')
const OBJECTS = rfc(8259, '4')
const RESPONSES = oas('responses-object')
const EVENTS = 'special-considerations-for-server-sent-events'
/** What it means that no PUT came: no PUT matches it. */
const REFUSED = ['refused', '(?!)'] as const

/** Cases of decoding: GET sends a response, and PUT carries what was decoded. */
export const RESPONSE: readonly DeclaredCase[] = [
  {
    name: 'object',
    level: 'core',
    title: 'An object with a text, a number and a boolean',
    specification: OBJECTS,
    answer: json(open({ name: text, count: integer, flag: boolean }), '{"name":"blue","count":3,"flag":true}', {
      name: 'blue',
      count: 3,
      flag: true,
    }),
  },
  {
    name: 'int64',
    level: 'extended',
    title: 'Integers of 64 bits keep all their digits',
    specification: oas('data-type-format'),
    answer: json(
      open({ beyond: int64, max: int64, min: int64 }),
      '{"beyond":9007199254740993,"max":9223372036854775807,"min":-9223372036854775808}',
      { beyond: BEYOND_DOUBLE, max: { $int64: '9223372036854775807' }, min: { $int64: '-9223372036854775808' } },
    ),
  },
  {
    name: 'number-forms',
    level: 'extended',
    title: 'Numbers with an exponent, with a final zero, and an integer with a fraction of zero',
    specification: oas('data-types'),
    answer: json(
      open({ exponent: number, fraction: number, whole: integer }),
      '{"exponent":1E2,"fraction":1.50,"whole":1.0}',
      { exponent: 100, fraction: 1.5, whole: 1 },
    ),
  },
  {
    name: 'strings',
    level: 'core',
    title: 'Texts with escapes, a surrogate pair, an escaped slash and a raw line separator',
    specification: rfc(8259, '7'),
    answer: json(
      open({ escape: text, pair: text, slash: text, separator: text }),
      '{"escape":"\\u00e9","pair":"\\ud83e\\ude90","slash":"a\\/b","separator":"a\u2028b"}',
      { escape: 'é', pair: '🪐', slash: 'a/b', separator: 'a\u2028b' },
    ),
  },
  {
    name: 'date-times',
    level: 'core',
    title: 'Date-times with Z, with an offset, with nine digits of a second, and with none',
    specification: rfc(3339, '5.6'),
    answer: json(
      open({ utc: dateTime, offset: dateTime, nanoseconds: dateTime, whole: dateTime }),
      '{"utc":"2026-02-28T21:30:00.5Z","offset":"2026-03-01T03:00:00.25+05:30","nanoseconds":"2026-02-28T21:30:00.123456789Z","whole":"2026-02-28T21:30:00Z"}',
      {
        utc: { $dateTime: '2026-02-28T21:30:00.5Z' },
        offset: { $dateTime: '2026-03-01T03:00:00.25+05:30' },
        nanoseconds: { $dateTime: '2026-02-28T21:30:00.123456789Z' },
        whole: { $dateTime: '2026-02-28T21:30:00Z' },
      },
    ),
  },
  {
    name: 'date',
    level: 'core',
    title: 'A date stays as it is, without a shift by a time zone',
    specification: rfc(3339, '5.6'),
    answer: json(open({ on: date }), '{"on":"2026-02-28"}', { on: DAY }),
  },
  {
    name: 'unknown-member',
    level: 'core',
    title: 'A member that the document lacks does no harm',
    specification: SCHEMAS,
    answer: json(named, '{"name":"blue","discovered":{"year":1846}}', { name: 'blue' }),
  },
  {
    name: 'null',
    level: 'core',
    title: 'Null, where null is a value',
    specification: VALUES,
    answer: json(open({ name: text, item: nullableText }), '{"name":"blue","item":null}', { name: 'blue', item: null }),
  },
  {
    name: 'absent',
    level: 'core',
    title: 'Optional members that are absent stay absent',
    specification: OBJECTS,
    answer: json(
      open({ name: text, note: text, count: integer, tags: arrayOf(text) }, ['note', 'count', 'tags']),
      '{"name":"blue"}',
      { name: 'blue' },
    ),
  },
  {
    name: 'empty',
    level: 'core',
    title: 'An empty list, an empty object and an empty text',
    specification: VALUES,
    answer: json(open({ tags: arrayOf(text), options: mapOf(text), text }), '{"tags":[],"options":{},"text":""}', {
      tags: [],
      options: {},
      text: '',
    }),
  },
  {
    name: 'discriminator',
    level: 'core',
    title: 'Two kinds in one list, told apart by a discriminator',
    specification: oas('discriminator-object'),
    answer: json(
      open({ bodies: arrayOf({ ...body, name: 'Body' }) }),
      '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"star","temperature":5772}]}',
      {
        bodies: [
          { kind: 'moon', diameter: 3475 },
          { kind: 'star', temperature: 5772 },
        ],
      },
    ),
  },
  {
    name: 'read-only',
    level: 'core',
    title: 'A read-only member is read',
    specification: oas('validating-readonly-and-writeonly'),
    answer: reported(
      {
        status: 200,
        mediaType: JSON_TYPE,
        body: '{"id":"a","name":"blue"}',
        schema: { ...open({ id: { type: 'string', readOnly: true }, name: text }, ['id']), requiredIn30: ['id'] },
      },
      { id: text, name: text },
      { id: 'a', name: 'blue' },
    ),
  },
  {
    name: 'write-only',
    level: 'core',
    title: 'A write-only member, which is not there, is not missed',
    specification: oas('validating-readonly-and-writeonly'),
    answer: reported(
      {
        status: 200,
        mediaType: JSON_TYPE,
        body: '{"name":"blue"}',
        schema: {
          ...open({ name: text, secret: { type: 'string', writeOnly: true } }, ['secret']),
          requiredIn30: ['secret'],
        },
      },
      { name: text },
      { name: 'blue' },
    ),
  },
  {
    name: 'map',
    level: 'core',
    title: 'An object with free names',
    specification: oas('model-with-map-dictionary-properties'),
    answer: json(mapOf(integer), '{"a":1,"b c":2,"größe":3}', { a: 1, 'b c': 2, größe: 3 }),
  },
  {
    name: 'recursive',
    level: 'core',
    title: 'An object that contains objects of its own kind, three levels deep',
    specification: SCHEMAS,
    answer: json(
      { ...open({ name: text, children: arrayOf({ named: 'Node' }) }), name: 'Node' },
      '{"name":"a","children":[{"name":"b","children":[{"name":"c","children":[]}]}]}',
      { name: 'a', children: [{ name: 'b', children: [{ name: 'c', children: [] }] }] },
    ),
  },
  {
    name: 'text',
    level: 'core',
    title: 'A text in UTF-8',
    specification: oas('media-types'),
    answer: {
      status: 200,
      mediaType: 'text/plain; charset=utf-8',
      body: 'größe\n火星',
      schema: text,
      report: { mediaType: 'text/plain', value: 'größe\n火星' },
    },
  },
  {
    name: 'bytes',
    level: 'core',
    title: 'Bytes as they are',
    specification: oas('working-with-binary-data'),
    answer: {
      status: 200,
      mediaType: 'application/octet-stream',
      body: ALL_BYTES,
      isBase64: true,
      schema: binary,
      report: { mediaType: 'application/octet-stream', value: { $bytes: ALL_BYTES } },
    },
  },
  {
    name: 'base64',
    level: 'core',
    title: 'Bytes in base64',
    specification: rfc(4648, '4'),
    answer: json(open({ bytes: { type: 'string', contentEncoding: 'base64' } }), '{"bytes":"+/8="}', {
      bytes: { $bytes: '+/8=' },
    }),
  },
  {
    name: 'vendor-json',
    level: 'core',
    title: 'JSON with a media type of its own and a charset',
    specification: oas('media-types'),
    answer: {
      status: 200,
      mediaType: 'application/vnd.galaxy+json; charset=utf-8',
      body: '{"name":"größe"}',
      schema: named,
      report: { mediaType: JSON_TYPE, value: { name: 'größe' } },
    },
  },
  {
    name: 'no-content',
    level: 'core',
    title: '204 without a body',
    specification: rfc(9110, '15.3.5'),
    answer: reported({ status: 204 }, { status: integer }, { status: 204 }),
  },
  {
    name: 'two-successes',
    level: 'extended',
    title: '202, with another schema than 200',
    specification: RESPONSES,
    answer: reported(
      {
        status: 202,
        mediaType: JSON_TYPE,
        body: '{"item":"blue"}',
        documented: {
          200: { ...named, name: 'Done' },
          202: { ...open({ item: text }), name: 'Accepted' },
        },
      },
      { status: integer, item: text },
      { status: 202, item: 'blue' },
    ),
  },
  {
    name: 'headers',
    level: 'extended',
    title: 'A list, an integer and a date-time in headers',
    specification: oas('header-object'),
    answer: reported(
      {
        status: 200,
        mediaType: JSON_TYPE,
        body: '{"name":"blue"}',
        schema: named,
        headers: { 'X-Colors': 'blue,black,brown', 'X-Count': '3', 'X-Since': '2026-02-28T23:30:00+02:00' },
        headerSchemas: { 'X-Colors': arrayOf(text), 'X-Count': integer, 'X-Since': dateTime },
      },
      { colors: arrayOf(text), count: integer, since: dateTime },
      { colors: ['blue', 'black', 'brown'], count: 3, since: { $dateTime: '2026-02-28T23:30:00+02:00' } },
    ),
  },
  {
    name: 'problem',
    level: 'core',
    title: '404 with a problem document',
    specification: rfc(9457, '3'),
    answer: reported(
      {
        status: 404,
        mediaType: 'application/problem+json',
        body: '{"type":"about:blank","title":"Not Found","status":404}',
        documented: {
          200: { ...named, name: 'Success' },
          404: { ...open({ type: text, title: text, status: integer }), name: 'Problem' },
        },
      },
      { status: integer, title: text },
      { status: 404, title: 'Not Found' },
    ),
  },
  {
    name: 'default',
    level: 'extended',
    title: '500, which only `default` documents',
    specification: RESPONSES,
    answer: failing(500, 'default', 'broken'),
  },
  {
    name: 'range',
    level: 'extended',
    title: '418, which only `4XX` documents',
    specification: RESPONSES,
    answer: failing(418, '4XX', 'teapot'),
  },
  {
    name: 'accept',
    level: 'core',
    title: 'Accept of GET allows the documented media type',
    specification: rfc(9110, '12.5.1'),
    accepts: JSON_TYPE,
  },
  {
    name: 'xml',
    level: 'extended',
    title: 'XML with an attribute and a list; PUT carries the same as JSON',
    specification: oas('xml-object'),
    answer: {
      status: 200,
      mediaType: 'application/xml',
      body: '<planet id="7"><name>a &lt; b</name><tag>x</tag><tag>y</tag></planet>',
      schema: {
        ...open({
          id: { ...integer, xml: { attribute: true } },
          name: text,
          tags: arrayOf({ ...text, xml: { name: 'tag' } }),
        }),
        xml: { name: 'planet' },
      },
      report: { mediaType: JSON_TYPE, value: { id: 7, name: 'a < b', tags: ['x', 'y'] } },
    },
  },
  {
    name: 'unknown-enum',
    level: 'open',
    title: 'A value that the enum lacks',
    specification: SCHEMAS,
    answer: json(
      // Other values than in `body/enum`, because a generator for Go makes constants of all values.
      open({ name: text, type: { type: 'string', enum: ['inner', 'outer'] } }),
      '{"name":"blue","type":"ocean"}',
      { name: 'blue', type: 'ocean' },
    ),
    variants: [['returned', '"type"\\s*:\\s*"ocean"'], ['dropped', ''], REFUSED],
  },
  {
    name: 'unknown-kind',
    level: 'open',
    title: 'A value of the discriminator that the mapping lacks',
    specification: oas('discriminator-object'),
    answer: json(
      open({ bodies: arrayOf({ ...body, name: 'Body' }) }),
      '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"comet","period":76}]}',
      {
        bodies: [
          { kind: 'moon', diameter: 3475 },
          { kind: 'comet', period: 76 },
        ],
      },
    ),
    variants: [['returned', '"kind"\\s*:\\s*"comet"'], ['dropped', ''], REFUSED],
  },
  {
    name: 'byte-order-mark',
    level: 'open',
    title: 'JSON after a byte order mark',
    specification: rfc(8259, '8.1'),
    answer: json(named, '\uFEFF{"name":"blue"}', { name: 'blue' }),
    variants: [['read', '"name"\\s*:\\s*"blue"'], ['other', ''], REFUSED],
  },
  {
    name: 'events',
    level: 'core',
    title: 'Server-sent events',
    ...onlyIn32(
      EVENTS,
      'including all guidance on ignoring certain fields (including comments) […] and on combining values split across multiple lines',
    ),
    answer: sequence(
      open({ event: text, data: text }, ['event']),
      'text/event-stream',
      ': a comment\nevent: moon\ndata: one\ndata:two\n\ndata: three: 3\ncolor: ignored\n\nevent: none\n\nevent:star\r\ndata:  four\r\n\r\n',
      [{ event: 'moon', data: 'one\ntwo' }, { data: 'three: 3' }, { event: 'star', data: ' four' }],
    ),
  },
  {
    name: 'events-json',
    level: 'extended',
    title: 'Server-sent events with JSON, id and retry',
    ...onlyIn32(
      EVENTS,
      'field value is modeled as a JSON number […] fields not given an explicit value type MUST be handled as strings',
    ),
    answer: decoded(
      sequence(
        open(
          {
            id: text,
            event: text,
            retry: { ...integer, minimum: 0 },
            data: { ...text, contentMediaType: JSON_TYPE, contentSchema: count },
          },
          ['id', 'event', 'retry'],
        ),
        'text/event-stream',
        'id: 1\nretry: 1500\nevent: count\ndata: {"name":"blue",\ndata: "count":3}\n\nid: 2\nevent: count\ndata: {"name":"a\\nb","count":0}\n\n',
        [
          { id: '1', event: 'count', retry: 1500, data: { name: 'blue', count: 3 } },
          { id: '2', event: 'count', data: { name: 'a\nb', count: 0 } },
        ],
      ),
      closed({ id: text, event: text, retry: { ...integer, minimum: 0 }, data: count }, ['retry']),
    ),
  },
  {
    name: 'jsonl',
    level: 'core',
    title: 'Lines of JSON',
    ...onlyIn32(
      'sequential-media-types',
      'MUST support mapping sequential media types into the JSON Schema data model',
    ),
    answer: sequence(open({ text }), 'application/jsonl', '{"text":"a\u2028b"}\r\n{"text":"c\\nd"}\n{"text":""}', [
      { text: 'a\u2028b' },
      { text: 'c\nd' },
      { text: '' },
    ]),
  },
  {
    name: 'json-seq',
    level: 'extended',
    title: 'A JSON text sequence',
    ...onlyIn32(
      'sequential-json',
      'where the items in the sequence are JSON values, no conversion of each value is required',
    ),
    answer: sequence(open({ text }), 'application/json-seq', '\x1e{\n  "text": "a"\n}\n\x1e{"text":"b\\u001e"}\n', [
      { text: 'a' },
      { text: 'b\x1e' },
    ]),
  },
  {
    name: 'multipart-mixed',
    level: 'extended',
    title: 'Parts of JSON',
    ...onlyIn32(
      'sequential-media-types',
      'multipart formats technically allow a preamble and an epilogue, the RFC directs that they are to be ignored',
    ),
    answer: {
      ...sequence(
        named,
        'multipart/mixed; boundary="a=_b"',
        'preamble\r\n--a=_b\r\nContent-Type: application/json\r\n\r\n{"name":"blue"}\r\n--a=_b \t\r\ncontent-type: application/json; charset=utf-8\r\n\r\n{"name":"--a=_b"}\r\n--a=_b--\r\nepilogue',
        [{ name: 'blue' }, { name: '--a=_b' }],
      ),
      itemEncoding: { contentType: JSON_TYPE },
    },
  },
  {
    name: 'default-mapping',
    level: 'core',
    title: 'A discriminator whose value is unknown, or absent',
    ...onlyIn32(
      'discriminator-default-mapping',
      'the discriminating property is not present in the payload or contains a value for which there is no […] mapping',
    ),
    answer: json(
      open({
        bodies: arrayOf({
          oneOf: [moon, { ...open({ kind: text, name: text }, ['kind']), name: 'Other' }],
          discriminator: { propertyName: 'kind', mapping: { moon: 'Moon' }, defaultMapping: 'Other' },
          name: 'Body',
        }),
      }),
      '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"comet","name":"Halley"},{"name":"Ceres"}]}',
      { bodies: [{ kind: 'moon', diameter: 3475 }, { kind: 'comet', name: 'Halley' }, { name: 'Ceres' }] },
    ),
  },
]
