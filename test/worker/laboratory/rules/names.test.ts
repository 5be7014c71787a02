import { joinBytes } from '../../../../laboratory/test/judge/encoders.ts'
import { caseWithId, describeRule, judgeRow, type Row } from './rows.ts'
import { sendRow } from './send-row.ts'

// Rule 4, through the service: what is compared, and in which order.

const ORDER = 'rule 4: order is free for parameters, members of objects and parts'
const NOT_IN_ARRAYS = 'rule 4: order is free, but not in arrays'
const DIFFERENCE = 'rule 4: other names are a difference in query, form, multipart and closed JSON objects'
const NEVER = 'rule 4: a query at a case of path, header, cookie, body, xml, response is never judged'
const SLASH = 'rule 4: a slash at the end of the path is another resource (RFC 3986 6.2.3): fail'
const NO_CONTENT = 'rule 4: a case without a body expects none'
const TWICE = 'lab.md: a parameter sent twice is fail, though with one value'

const CONTENT = `${NO_CONTENT}: content in a GET is non-strict (RFC 9110 9.3.1: SHOULD NOT)`

const BLUE = '{"name":"blue","count":3,"flag":true}'
const part = (name: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
const PARTS = ['name', 'count', 'text'].map((name, at) => part(name, ['blue', '3', 'größe 火'][at] ?? ''))
const QUERIES = [
  { to: 'path/simple-string', path: 'blue' },
  { to: 'header/string', headers: { 'X-Color': 'blue' } },
  { to: 'cookie/string', headers: { Cookie: 'color=blue' } },
  { to: 'body/object', body: BLUE },
  { to: 'xml/attribute', body: '<planet id="7"><name>blue</name></planet>' },
  { to: 'response/object', body: BLUE },
] as const

const ROWS: readonly Row[] = [
  ...QUERIES.map(
    (one) => ({ ...one, form: `a query at ${one.to}`, query: 'x=1&x=%zz', is: 'pass', by: NEVER }) as const,
  ),
  {
    to: 'query/form-object-explode',
    form: 'parameters in another order',
    query: 'B=150&R=100&G=200',
    is: 'pass',
    by: ORDER,
  },
  {
    to: 'path/simple-object',
    form: 'members of a path in another order',
    path: 'G,200,B,150,R,100',
    is: 'pass',
    by: ORDER,
  },
  {
    to: 'body/object',
    form: 'members of JSON in another order',
    body: '{"flag":true,"count":3,"name":"blue"}',
    is: 'pass',
    by: ORDER,
  },
  {
    to: 'form/text',
    form: 'members of a form in another order',
    body: 'flag=true&count=3&name=blue',
    is: 'pass',
    by: ORDER,
  },
  {
    to: 'multipart/text',
    form: 'parts in another order',
    body: `${[...PARTS].reverse().join('')}--x--`,
    is: 'pass',
    by: ORDER,
  },
  {
    to: 'header/string',
    form: 'other headers',
    headers: { 'X-Color': 'blue', 'X-Other': 'red', Cookie: 'color=red' },
    is: 'pass',
    by: DIFFERENCE,
  },
  {
    to: 'body/any-of',
    form: 'another member of an open object',
    body: '{"a":1,"b":2,"c":3}',
    is: 'pass',
    by: 'How the document says it: objects say additionalProperties: false, but any-of, all-of, map, open-object',
  },
  {
    to: 'response/object',
    form: 'another member of a response',
    body: '{"name":"blue","count":3,"flag":true,"more":1}',
    is: 'pass',
    by: 'lab.md: unknown members may be kept or dropped',
  },
  {
    to: 'path/simple-array',
    form: 'doubled slashes before the value',
    path: '//blue,black,brown',
    is: 'pass',
    by: 'rule 11: doubled slashes',
  },

  {
    to: 'query/form-string',
    form: 'another parameter',
    query: 'color=blue&x=1',
    at: 'color=blue&',
    is: 'fail',
    by: DIFFERENCE,
  },
  {
    to: 'query/omitted',
    form: 'another parameter where none is sent',
    query: 'x=1',
    at: 0,
    is: 'fail',
    by: DIFFERENCE,
  },
  {
    to: 'form/omitted',
    form: 'another member of a form',
    body: 'name=blue&x=1',
    at: 'name=blue&',
    is: 'fail',
    by: DIFFERENCE,
  },
  {
    to: 'form/omitted',
    form: 'a query at a case of a form',
    query: 'x=1',
    body: 'name=blue',
    is: 'fail',
    by: DIFFERENCE,
  },
  {
    to: 'multipart/text',
    form: 'another part',
    body: `${[...PARTS, part('x', '1')].join('')}--x--`,
    is: 'fail',
    by: DIFFERENCE,
  },
  {
    to: 'body/object',
    form: 'another member of a closed object',
    body: '{"name":"blue","count":3,"flag":true,"x":1}',
    at: '{"name":"blue","count":3,"flag":true,',
    is: 'fail',
    by: DIFFERENCE,
  },
  {
    to: 'body/map',
    form: 'another name of a map',
    body: '{"a":1,"b":2,"c":3}',
    at: '{"a":1,"b":2,',
    is: 'fail',
    by: 'How the document says it: in a map another name is another value',
  },
  {
    to: 'query/form-string',
    form: 'a parameter twice',
    query: 'color=blue&color=blue',
    at: 'color=blue&',
    is: 'fail',
    by: TWICE,
  },
  {
    to: 'query/form-array-explode',
    form: 'items of a query in another order',
    query: 'color=black&color=blue&color=brown',
    is: 'fail',
    by: NOT_IN_ARRAYS,
  },
  {
    to: 'body/top-array',
    form: 'items of JSON in another order',
    body: '["b","a"]',
    at: '["',
    is: 'fail',
    by: NOT_IN_ARRAYS,
  },
  {
    to: 'form/array',
    form: 'items of a form in another order',
    body: 'tags=b&tags=a',
    at: 'tags=',
    is: 'fail',
    by: NOT_IN_ARRAYS,
  },
  { to: 'path/simple-string', form: 'a slash after the value', path: 'blue/', at: 'blue', is: 'fail', by: SLASH },
  {
    to: 'path/two',
    form: 'a slash after two values',
    path: 'black/x/blue/',
    at: 'black/x/blue',
    is: 'fail',
    by: SLASH,
  },
  { to: 'query/form-string', form: 'a slash before the query', path: '/', query: 'color=blue', is: 'fail', by: SLASH },
  {
    to: 'header/string',
    form: 'a slash at a case of a header',
    path: '/',
    headers: { 'X-Color': 'blue' },
    is: 'fail',
    by: SLASH,
  },
  {
    to: 'cookie/string',
    form: 'a slash at a case of a cookie',
    path: '/',
    headers: { Cookie: 'color=blue' },
    is: 'fail',
    by: SLASH,
  },
  { to: 'body/object', form: 'a slash at a case of a body', path: '/', body: BLUE, is: 'fail', by: SLASH },
  { to: 'body/object', form: 'two slashes at a case of a body', path: '//', body: BLUE, is: 'fail', by: SLASH },
  { to: 'response/object', form: 'a slash at a case of a response', path: '/', body: BLUE, is: 'fail', by: SLASH },
  {
    to: 'body/no-body',
    form: 'content in a POST without a body',
    body: '{}',
    at: 0,
    is: 'fail',
    by: `${NO_CONTENT}: in any other method than GET fail`,
  },
  {
    to: 'body/no-body',
    form: 'content that is white space',
    body: ' ',
    at: 0,
    is: 'fail',
    by: `${NO_CONTENT}: in any other method than GET fail`,
  },

  { to: 'query/form-string', form: 'JSON', query: 'color=blue', body: '{}', is: 'non-strict', by: CONTENT },
  { to: 'path/simple-string', form: 'a byte', path: 'blue', body: joinBytes('\0'), is: 'non-strict', by: CONTENT },
  { to: 'header/omitted', form: 'a text', body: 'undefined', type: null, is: 'non-strict', by: CONTENT },
  {
    to: 'cookie/string',
    form: 'a form',
    headers: { Cookie: 'color=blue' },
    type: 'application/x-www-form-urlencoded',
    body: 'color=blue',
    is: 'non-strict',
    by: CONTENT,
  },
  {
    to: 'query/form-string',
    form: 'a Content-Type without content',
    query: 'color=blue',
    type: 'application/json',
    is: 'pass',
    by: 'RFC 9110 8.3: Content-Type is no content',
  },
  {
    to: 'query/form-string',
    form: 'content beside a wrong value',
    query: 'color=red',
    body: '{}',
    at: 'color=',
    is: 'fail',
    by: 'rule 13: the verdict is the worst',
  },
  {
    to: 'redirect/303-post',
    method: 'GET',
    path: 'target',
    form: 'content in the GET at the end of a redirect',
    body: '{"name":"blue"}',
    at: 0,
    is: 'fail',
    by: 'the row redirect/303-post: GET without a body at the target',
  },
  { to: 'body/no-body', form: 'content in a POST', body: '{"name":"blue"}', at: 0, is: 'fail', by: NO_CONTENT },
]

/** No client can send content with GET, so these rows go to the judge itself. */
const hasContentInGet = ({ to, method = caseWithId(to).method, body }: Row) => method === 'GET' && body !== undefined

describeRule('rule 4: names, order, and what is not expected', ROWS, (row) =>
  hasContentInGet(row) ? judgeRow(row) : sendRow(row),
)
