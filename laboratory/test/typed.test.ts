import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quote, writeCurl } from '../bench/curl.ts'
import { readCurl } from '../bench/read-curl.ts'
import { type BenchRequest, bodyBytesOf, readBytes } from '../bench/request.ts'
import { joinTexts, nearestId, readHttp, readTyped, splitTexts } from '../bench/typed.ts'
import { findUnsendable } from '../bench/unsendable.ts'
import { benchFormsOf } from '../suite/forms/index.ts'
import { CASES } from '../suite/suite.ts'

// What people type or paste into the bench.

const ids = CASES.filter(({ group }) => group !== 'retry').map(({ id }) => id)
const read = (line: string, headers = '', body = '', method = 'GET') =>
  readTyped({ line, headers, body }, { ids, method })

const FORM = 'Content-Type: application/x-www-form-urlencoded'
const ARRAY = '/query/form-array?color=blue,black'

describe('a line', () => {
  it.each([
    [`GET ${ARRAY}`],
    [`  get   ${ARRAY}  `],
    [`GET ${ARRAY} HTTP/1.1`],
    [`GET http://localhost:8787/lab/try${ARRAY} HTTP/1.1`],
    [`GET https://galaxy.test${ARRAY}`],
    [`GET /lab/try${ARRAY} HTTP/2`],
    [`GET /lab/runs/3ms0hNNvqZ8lN1cQ${ARRAY}`],
    [`GET /universes/abc/lab/try${ARRAY}`],
    [`http://localhost:8787/universes/abc/lab/runs/3ms0hNNv${ARRAY}`],
    [`localhost:8787/lab/try${ARRAY}`],
    [`lab/try${ARRAY}`],
    [ARRAY],
    [ARRAY.slice(1)],
  ])('may be pasted as %s', (line) => {
    expect(read(line)).toEqual({
      request: { method: 'GET', target: ARRAY, headers: [], body: '' },
      caseId: 'query/form-array',
      noHeader: undefined,
    })
  })

  it.each([
    ['', 'GET', '', undefined],
    ['POST', 'POST', '', undefined],
    ['POST ', 'POST', '', undefined],
    ['/lab/try', 'GET', '', undefined],
    ['/lab/try/', 'GET', '/', undefined],
    ['GET /', 'GET', '/', undefined],
    ['?color=blue', 'GET', '/?color=blue', undefined],
    ['GET /query', 'GET', '/query', undefined],
    ['GET //query//form-array', 'GET', '//query//form-array', 'query/form-array'],
    ['GET /query/form-arry?color=a', 'GET', '/query/form-arry?color=a', 'query/form-arry'],
    ['/lab/try/nothing/here', 'GET', '/nothing/here', 'nothing/here'],
    ['/lab/runs/3ms0/retry/same-key', 'GET', '/retry/same-key', 'retry/same-key'],
    // What looks like the path of a bench may be a value.
    ['GET /path/simple-string/lab/try/x', 'GET', '/path/simple-string/lab/try/x', 'path/simple-string'],
    ['GET /query/reserved?url=http://a/lab/try/b', 'GET', '/query/reserved?url=http://a/lab/try/b', 'query/reserved'],
    ['GET /query/form-array?color=a b', 'GET', '/query/form-array?color=a b', 'query/form-array'],
    ['BREW /query/form-array#x', 'BREW', '/query/form-array#x', 'query/form-array'],
    ['brew /query/form-array', 'brew', '/query/form-array', 'query/form-array'],
  ])('%j is %s %s', (line, method, target, caseId) => {
    const typed = read(line)
    expect([typed.request.method, typed.request.target, typed.caseId]).toEqual([method, target, caseId])
  })

  it('without a method has that of the case', () => {
    expect(read('/body/null', '', '', 'POST').request.method).toBe('POST')
    expect(read('', '', '', 'POST').request.method).toBe('POST')
  })
})

it('each form of the suite is read as it is', () => {
  for (const spec of CASES) {
    for (const { request } of benchFormsOf(spec)) {
      const { method, target, headers, body } = request
      const lines = headers.map((header) => header.join(': ')).join('\n')
      const typed = read(`${method} ${target}`, lines, body)
      expect(typed).toEqual({ request, caseId: spec.id, noHeader: undefined })
      expect(findUnsendable(typed)).toBe(undefined)
    }
  }
})

it('a line that is no header is in no request', () => {
  expect(read(ARRAY, 'A: 1\n\n  b :x:y \nno header\nC:')).toMatchObject({
    request: {
      headers: [
        ['A', '1'],
        ['b', 'x:y'],
        ['C', ''],
      ],
    },
    noHeader: 'no header',
  })
})

it('a request of HTTP is spread over the fields, without what every sender writes', () => {
  const pasted =
    'POST /lab/try/body/text HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\na\n\nb'
  expect(readHttp(pasted)).toEqual({
    line: 'POST /lab/try/body/text HTTP/1.1',
    headers: 'Content-Type: text/plain',
    body: 'a\n\nb',
  })
  expect(readHttp('GET /query/form-array\n')).toEqual({ line: 'GET /query/form-array', headers: '', body: '' })
  // A line that a terminal has broken.
  expect(readHttp('GET /query/form-array?color=blue,\nblack')).toBe(undefined)
})

describe('a command with curl', () => {
  it('is read as the request that it sends, but for what needs another program', () => {
    const shapeOf = ({ method, target, headers, body }: BenchRequest) => ({
      method,
      target,
      headers: headers.map(([name, value]) => [name, readBytes(value)]),
      body: bodyBytesOf({ headers, body }),
    })
    for (const { request } of CASES.flatMap(benchFormsOf)) {
      const command = writeCurl(request, quote(`https://galaxy.test/lab/try${request.target}`))
      const texts = readCurl(command)
      expect([command, texts === undefined]).toEqual([command, /^(?:echo|printf) |\$\(printf /.test(command)])
      if (!texts) continue
      expect(shapeOf(read(texts.line, texts.headers, texts.body).request)).toEqual(shapeOf(request))
    }
  })

  it.each([
    ['curl localhost:8787/lab/try/query/null', 'GET localhost:8787/lab/try/query/null', '', ''],
    ['$ curl -sS -XPUT "http://a/b?c=\\"d\\"" ', 'PUT http://a/b?c="d"', '', ''],
    ["curl \\\n  --url 'http://a' -d a=1 -d 'b='\\''2' -o x", 'POST http://a', FORM, "a=1&b='2"],
    ["curl http://a -H 'A;' -H 'B:' -b c=d -I", 'HEAD http://a', 'A:\nCookie: c=d', ''],
    ["curl --request-target '/a#b' http://a", 'GET /a#b', '', ''],
  ])('%s', (command, line, headers, body) => expect(readCurl(command)).toEqual({ line, headers, body }))

  it.each([
    'curl',
    'curl http://a http://b',
    'curl -F a=b http://a',
    'curl -d @file http://a',
    "echo 'AA==' | base64 -d | curl http://a --data-binary @-",
    'curl "$RUN"/retry/x',
    'curl http://a; rm x',
    "curl 'http://a",
    'curl -X',
    'curlew http://a',
    'GET /query/null',
  ])('that is not understood is no request: %s', (command) => expect(readCurl(command)).toBe(undefined))
})

it('the fields are one text and back', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', ':', '/', '<', '"') }).filter((text) => text.trim() !== '')
  const headers = fc.array(line).map((lines) => lines.join('\n'))
  const body = fc.string({ unit: fc.constantFrom('a', '\n', '<', '\\x00') })
  fc.assert(
    fc.property(fc.record({ line, headers, body }), (texts) => {
      expect(splitTexts(joinTexts(texts))).toEqual(texts)
    }),
  )
})

it.each([
  ['query/form-arry', 'query/form-array'],
  ['Query/Form-Array', 'query/form-array'],
  ['query/nul', 'query/null'],
  ['queri/null', 'query/null'],
  ['xyz/0123456789', undefined],
])('the nearest case of %s is %s', (id, nearest) => expect(nearestId(id, ids)).toBe(nearest))

describe('no client can send', () => {
  it.each([
    ['an empty line', '', '', '', 'There is no path.'],
    ['a method alone', 'POST', '', '', 'There is no path.'],
    ['a raw space', 'GET /query/form-array?color=a b', '', '', 'A space ends the path'],
    ['a tab', 'GET /query/form-array?color=a\tb', '', '', 'A space ends the path'],
    ['a control character', 'GET /query/form-array?color=\x01', '', '', 'No client can send a control character'],
    ['a method that is none', 'GÄT /query/form-array', '', '', '"GÄT" is no method'],
    ['a header without a colon', ARRAY, 'color blue', '', 'The line "color blue" is no header'],
    ['a header with a space in its name', ARRAY, 'co lor: blue', '', 'The line "co lor: blue" is no header'],
    ['a header with a line break', ARRAY, 'Color: a\\x0ab', '', 'The value of Color has a line break'],
    ['a length of its own', ARRAY, 'Content-Length: 5', '', 'writes Content-Length itself'],
    ['a command', "echo 'AA==' | base64 -d | curl 'http://a'", '', '', 'This command cannot be read here'],
    ['HEAD with a body', 'HEAD /query/form-array', '', 'a', 'A request with HEAD has no body'],
  ])('%s', (_, line, headers, body, words) => {
    expect(findUnsendable(read(line, headers, body))).toContain(words)
  })

  it.each(['GET /query/form-array?color=größe', `GET ${ARRAY}#x`, 'TRACE /query/form-array', 'GET /query/a%20b+c'])(
    'what %s is, but others can',
    (line) => expect(findUnsendable(read(line))).toBe(undefined),
  )
})
