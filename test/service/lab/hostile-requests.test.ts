import { expect, it } from 'vitest'
import type { JudgedCase } from '../../../laboratory/case.ts'
import { judgeRequest } from '../../../laboratory/judge/index.ts'
import {
  arrive,
  bodyCase,
  cookieCase,
  formCase,
  headerCase,
  integer,
  jsonCase,
  list,
  multipartCase,
  number,
  object,
  pathCase,
  queryCase,
  text,
} from '../../../laboratory/test/judge/requests.ts'

/** A quarter of the largest body that a case takes, so that the test does not last long. */
const SIZE = 64 * 1024

/** Texts that take quadratic time, or a deep stack, in a careless reader. */
const ATTACKS = [
  'a',
  '0',
  '%',
  '%41',
  '%2c',
  '+',
  ',',
  ';',
  '.',
  '=',
  '&',
  '&a',
  '&a=1',
  '/',
  '/a',
  ' ',
  '\t',
  '"',
  '\\',
  '[',
  '{"a":',
  '[[],',
  '"a",',
  '{"a":1,',
  '"\\u0061',
  '"\\ud83e',
  '\\"',
  '1e',
  '-',
  '<',
  '<a>',
  '<a/>',
  '<a b="1" ',
  '<a xmlns:b="c"><b:a>',
  '</a>',
  '<!--',
  '<!-- -->',
  '<!',
  '<?',
  '<![CDATA[',
  '&#',
  '&#97;',
  '&amp;',
  ']]>',
  '--',
  '\r\n',
  '\n',
  '\r\n--b',
  '--b\r\n',
  '--b\r\n\r\n',
  '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n',
  '; name=',
  ';',
  ': ',
  '\r\n ',
  '\ufffd',
  'ö',
  '\ufeff',
  '\0',
]
const BEGINNINGS = [
  '',
  '{"name":"',
  '{"name":',
  '["',
  '[',
  '{"x":[',
  '<planet id="7"><name>',
  '<planet ',
  '--b\r\nContent-Disposition: form-data; name=',
  '--b\r\nA',
  '--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n',
  '--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\n',
  '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n',
  '-',
  '0.',
]

const rgb = { style: 'simple', explode: true, expected: object({ R: integer(100), G: integer(200) }) } as const
const colors = list(text('blue'), text('black'))

const bodies: readonly (readonly [string, JudgedCase])[] = [
  ['a form', formCase({ name: 'name', expected: text('blue') }, { name: 'count', expected: integer(3) })],
  ['JSON in a form', formCase({ isJson: true, expected: object({ R: integer(100) }) })],
  [
    'multipart',
    multipartCase([
      { name: 'name', expected: text('blue') },
      { name: 'x', file: { bytes: btoa('\0') } },
    ]),
  ],
  [
    'parts by position',
    bodyCase(
      {
        as: 'items',
        mediaType: 'multipart/mixed',
        parts: [
          { contentType: 'multipart/mixed', parts: [{ contentType: 'text/plain', expected: text('a') }] },
          { contentType: 'text/csv', expected: text('a,b') },
        ],
      },
      'multipart/x',
    ),
  ],
  [
    'lines of JSON',
    bodyCase({ as: 'lines', mediaType: 'application/jsonl', items: [object({ name: text('blue') }), number(1)] }),
  ],
  ['JSON', jsonCase({ is: 'object', members: { name: text('blue') }, isOpen: true })],
  ['numbers', jsonCase(list(number(0.1), integer(3)))],
  ['bytes', bodyCase({ as: 'bytes', mediaType: 'application/octet-stream', bytes: btoa('\0\r\n') })],
  [
    'XML',
    bodyCase({ as: 'xml', mediaType: 'application/xml', xml: '<planet id="7"><name>blue</name></planet>' }, 'xml/x'),
  ],
]

const heads: readonly (readonly [string, JudgedCase])[] = [
  ['a label', pathCase({ ...rgb, style: 'label' })],
  ['a matrix', pathCase({ style: 'matrix', explode: true, expected: colors })],
  ['bars', queryCase({ style: 'pipeDelimited', explode: false, expected: rgb.expected })],
  ['JSON in a query', queryCase({ isJson: true, expected: rgb.expected })],
  ['a query that is JSON', queryCase({ in: 'querystring', isJson: true, expected: rgb.expected })],
  ['reserved characters in a path', pathCase({ allowReserved: true, expected: text('a%2Fb') })],
  ['raw cookies', cookieCase({ style: 'cookie', explode: true, expected: colors })],
  ['a header', headerCase(rgb)],
  ['cookies', cookieCase({ expected: text('blue') }, { name: 'size', expected: integer(3) })],
]

const fill = (attack: string, beginning = '') =>
  beginning + attack.repeat(Math.ceil(SIZE / attack.length)).slice(0, SIZE - beginning.length)

/** The time for one request. With quadratic time, it is many seconds. */
const LIMIT_MS = 500

/** The time that a run takes of this thread, in milliseconds, however busy the machine is. */
function measure(run: () => void): number {
  const start = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

it.each(bodies)(
  '%s: hostile bodies cost linear time',
  (_, judged) => {
    const { body } = judged
    const hasParts = body?.as === 'multipart' || body?.as === 'items'
    const type = hasParts ? `${body.mediaType}; boundary=b` : 'text/plain'
    ATTACKS.forEach((attack, index) => {
      // Each attack alone, and after one of the beginnings.
      for (const beginning of ['', BEGINNINGS[index % BEGINNINGS.length]]) {
        const request = arrive({ type, body: fill(attack, beginning) })
        const time = measure(() => {
          expect(judgeRequest(judged, request).verdict).toBe('fail')
        })
        expect(time, `${beginning} ${attack}`).toBeLessThan(LIMIT_MS)
      }
    })
  },
  120_000,
)

it.each(heads)(
  '%s: hostile heads cost linear time',
  (_, judged) => {
    for (const attack of ATTACKS.filter((one) => /^[\x20-\x7e]*$/.test(one))) {
      const sent = fill(attack)
      const headers = { 'X-Color': sent, Cookie: `color=${sent}`, 'Content-Type': sent }
      const request = arrive({ rest: sent, query: sent, headers })
      const time = measure(() => {
        expect(judgeRequest(judged, request).verdict).toBe('fail')
      })
      expect(time, attack).toBeLessThan(LIMIT_MS)
    }
  },
  120_000,
)
