import { describe, expect, it } from 'vitest'
import { eachRow } from '../../../test/support/each-row.ts'
import type { ExpectedParameter, JudgedCase } from '../../case.ts'
import { judgeRequest } from '../../judge/index.ts'
import {
  arrive,
  blue,
  boolean,
  caseOf,
  colors,
  cookieCase,
  evening,
  expectJudgement,
  FORM_TYPE,
  formCase,
  headerCase,
  integer,
  judgeSent,
  list,
  number,
  object,
  parameter,
  pathCase,
  queryCase,
  rgb,
  text,
  type Wanted,
} from './requests.ts'

type Row = readonly [sent: string, wanted: Wanted]

describe('in a path', () => {
  const kinds: readonly (readonly [string, Partial<ExpectedParameter>, readonly Row[]])[] = [
    [
      'simple text',
      { expected: blue },
      [
        ['blue', 'pass'],
        ['%62lue', 'pass'],
        ['/blue', 'pass'],
        ['blue/', ['fail', 4]],
        ['red', ['fail', 0]],
        ['blu', ['fail', 3]],
        ['blue%20', ['fail', 4]],
        ['', ['fail', 0]],
        ['blue/x', ['fail', 4]],
        ['bl+ue', ['fail', 2]],
      ],
    ],
    [
      'simple list',
      { expected: colors },
      [
        ['blue,black,brown', 'pass'],
        ['blue%2Cblack%2Cbrown', ['fail', 4]],
        ['blue,black', ['fail', 10]],
        ['blue,black,brown,', ['fail', 16]],
        ['blue,black,brown,red', ['fail', 16]],
        ['black,blue,brown', ['fail', 2]],
        ['blue,black,br|wn', ['fail', 13]],
      ],
    ],
    [
      'simple object',
      { expected: rgb },
      [
        ['R,100,G,200,B,150', 'pass'],
        ['B,150,R,100,G,200', 'pass'],
        ['R=100,G=200,B=150', ['fail', 0]],
        ['R,100,G,200', ['fail', 11]],
        ['R,100,G,200,B,151', ['fail', 14]],
        ['R,100,G,200,B', ['fail', 13]],
        ['R,100,G,200,B,150,A,1', ['fail', 18]],
        ['R,100,G,200,B,150,B,150', ['fail', 18]],
      ],
    ],
    [
      'simple object, exploded',
      { expected: rgb, explode: true },
      [
        ['R=100,G=200,B=150', 'pass'],
        ['R=100,G=200', ['fail', 11]],
        ['R%3D100,G=200,B=150', ['fail', 0]],
        ['R=1e2,G=200,B=150', ['non-strict', 3]],
        ['R=0100,G=200,B=150', ['non-strict', 2]],
        ['R=+100,G=200,B=150', ['non-strict', 2]],
      ],
    ],
    [
      'label text',
      { style: 'label', expected: blue },
      [
        ['.blue', 'pass'],
        ['%2Eblue', 'pass'],
        ['blue', ['fail', 0]],
      ],
    ],
    [
      'label list',
      { style: 'label', expected: colors },
      [
        ['.blue,black,brown', 'pass'],
        ['.blue.black.brown', ['non-strict', 5]],
        ['.blue.black', ['fail', 5]],
        ['blue,black,brown', ['fail', 0]],
      ],
    ],
    [
      'label list, exploded',
      { style: 'label', explode: true, expected: colors },
      [
        ['.blue.black.brown', 'pass'],
        ['.blue%2eblack.brown', 'pass'],
        ['.blue,black,brown', ['fail', 5]],
      ],
    ],
    [
      'label object',
      { style: 'label', expected: rgb },
      [
        ['.R,100,G,200,B,150', 'pass'],
        ['.R.100.G.200.B.150', ['non-strict', 2]],
      ],
    ],
    [
      'label object, exploded',
      { style: 'label', explode: true, expected: rgb },
      [
        ['.R=100.G=200.B=150', 'pass'],
        ['.R=100,G=200,B=150', ['fail', 3]],
      ],
    ],
    [
      'matrix text',
      { style: 'matrix', expected: blue },
      [
        [';color=blue', 'pass'],
        ['color=blue', ['fail', 0]],
        [';colour=blue', ['fail', 1]],
        [';color', ['fail', 6]],
        [';color=blue;size=1', ['fail', 12]],
      ],
    ],
    [
      'matrix list',
      { style: 'matrix', expected: colors },
      [
        [';color=blue,black,brown', 'pass'],
        [';color=blue;color=black;color=brown', ['fail', 11]],
        [';color=blue%2Cblack,brown', ['fail', 11]],
      ],
    ],
    [
      'matrix list, exploded',
      { style: 'matrix', explode: true, expected: colors },
      [
        [';color=blue;color=black;color=brown', 'pass'],
        [';color=blue,black,brown', ['fail', 11]],
        [';color=blue;color=black', ['fail', 23]],
        [';color=blue;color=black;color=brown;color=red', ['fail', 36]],
      ],
    ],
    [
      'matrix object',
      { style: 'matrix', expected: rgb },
      [
        [';color=R,100,G,200,B,150', 'pass'],
        [';color=R,100,G,200', ['fail', 18]],
      ],
    ],
    [
      'matrix object, exploded',
      { style: 'matrix', explode: true, expected: rgb },
      [
        [';R=100;G=200;B=150', 'pass'],
        [';B=150;G=200;R=100', 'pass'],
        [';R=100;G=200', ['fail', 12]],
      ],
    ],
    [
      'reserved characters',
      { expected: text('a/b?c#d e%f') },
      [
        ['a%2Fb%3Fc%23d%20e%25f', 'pass'],
        ['a%2fb%3fc%23d%20e%25f', 'pass'],
        ['a/b%3Fc%23d%20e%25f', ['fail', 1]],
        ['a%2Fb%3Fc%23d+e%25f', ['fail', 13]],
        ['a%2Fb%3Fc%23d%20e%f', ['fail', 17]],
        ['a%252Fb%253Fc', ['fail', 1]],
      ],
    ],
    [
      'other scripts',
      { expected: text('größe 火') },
      [
        ['gr%C3%B6%C3%9Fe%20%E7%81%AB', 'pass'],
        ['gr%F6%DFe%20%E7%81%AB', ['fail', 2]],
        ['gr%C3%B6%C3%A9e', ['fail', 8]],
        ['gr%C3', ['fail', 2]],
      ],
    ],
    [
      'a comma in an item',
      { expected: list(text('a,b'), text('c')) },
      [
        ['a%2Cb,c', 'pass'],
        ['a,b,c', ['fail', 1]],
        ['a%2Cb%2Cc', ['fail', 5]],
      ],
    ],
    [
      'characters that are not legal',
      { expected: text('[|]{`^}') },
      [
        ['%5B%7C%5D%7B%60%5E%7D', 'pass'],
        ['%5B%7C%5D{`^}', 'pass'],
        ['%5B|%5D{`^}', ['non-strict', 3]],
        ['[|]{`^}', ['non-strict', 0]],
      ],
    ],
    [
      'a date-time',
      { expected: evening },
      [
        ['2026-02-28T23%3A30%3A00%2B02%3A00', 'pass'],
        ['2026-02-28T23:30:00+02:00', 'pass'],
        ['2026-02-28t21:30:00.000z', 'pass'],
        ['2026-02-28%2021:30:00Z', ['non-strict', 10]],
        ['2026-02-28T21:30:00', ['fail', 0]],
        ['2026-02-28T23:30:00Z', ['fail', 0]],
      ],
    ],
    [
      'an integer of 64 bits',
      { expected: integer('9007199254740993') },
      [
        ['9007199254740993', 'pass'],
        ['9007199254740992', ['fail', 0]],
        ['9007199254740993.0', ['non-strict', 16]],
        ['9.007199254740993e15', ['non-strict', 1]],
        ['', ['fail', 0]],
      ],
    ],
  ]
  it.each(kinds)('%s', (_, over, rows) =>
    eachRow(rows, ([rest, wanted]) => {
      const judgement = judgeSent(pathCase(over), { rest })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(rest.replace(/^\/+/, ''))
    }),
  )

  const two = caseOf('path/two', {
    path: '/path/two/{second}/x/{first}',
    parameters: [
      parameter('path', { name: 'first', expected: blue }),
      parameter('path', { name: 'second', expected: text('black') }),
    ],
  })
  const embedded = caseOf('path/embedded', {
    path: '/path/embedded/report.{format}',
    parameters: [parameter('path', { name: 'format', expected: text('json') })],
  })
  const ofPieces: readonly (readonly [JudgedCase, string, Wanted])[] = [
    [two, 'black/x/blue', 'pass'],
    [two, 'black//x/blue', 'pass'],
    [two, 'black/%78/blue', 'pass'],
    [two, 'blue/x/black', ['fail', 2]],
    [two, 'black/y/blue', ['fail', 6]],
    [two, 'black/x', ['fail', 7]],
    [embedded, 'report.json', 'pass'],
    [embedded, '%72eport%2Ejson', 'pass'],
    [embedded, 'report%2Fjson', ['fail', 6]],
    [embedded, 'report.', ['fail', 7]],
    [embedded, 'report.xml', ['fail', 7]],
  ]
  it('of several pieces', () =>
    eachRow(
      ofPieces,
      ([judged, rest, wanted]) => expectJudgement(judgeSent(judged, { rest }), wanted),
      ([{ id }, rest]) => `${id}: ${rest}`,
    ))
})

describe('in a query', () => {
  const kinds: readonly (readonly [string, readonly Partial<ExpectedParameter>[], readonly Row[]])[] = [
    [
      'text',
      [{ expected: blue }],
      [
        ['color=blue', 'pass'],
        ['%63olor=%62lue', 'pass'],
        ['colour=blue', ['fail', 0]],
        ['color=blue&size=1', ['fail', 11]],
        ['color=blue&color=blue', ['fail', 11]],
        ['color=blue&', ['non-strict', 10]],
        ['&color=blue', ['non-strict', 0]],
        ['&', ['fail', 1]],
        ['color=blue&&', ['non-strict', 11]],
        ['', ['fail', 0]],
        ['color', ['fail', 5]],
        ['Color=blue', ['fail', 0]],
        ['color=%22blue%22', ['fail', 6]],
        ['color[]=blue', ['fail', 0]],
        ['=blue', ['fail', 0]],
        ['color=blue%', ['fail', 10]],
      ],
    ],
    [
      'list, exploded',
      [{ expected: colors }],
      [
        ['color=blue&color=black&color=brown', 'pass'],
        ['color=blue,black,brown', ['fail', 10]],
        ['color=blue&color=black', ['fail', 22]],
        ['color=black&color=blue&color=brown', ['fail', 8]],
        ['color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown', ['fail', 0]],
        ['color=blue&color=black&color=brown&color=red', ['fail', 35]],
        ['color=blue&color=black&&color=brown', ['non-strict', 23]],
      ],
    ],
    [
      'list',
      [{ explode: false, expected: colors }],
      [
        ['color=blue,black,brown', 'pass'],
        ['color=blue%2Cblack%2Cbrown', ['fail', 10]],
        ['color=blue&color=black&color=brown', ['fail', 10]],
        ['color=blue, black,brown', ['fail', 11]],
      ],
    ],
    [
      'object, exploded',
      [{ expected: rgb }],
      [
        ['R=100&G=200&B=150', 'pass'],
        ['G=200&B=150&R=100', 'pass'],
        ['R=100&G=200', ['fail', 11]],
        ['color=R,100,G,200,B,150', ['fail', 0]],
        ['R=100&G=200&B=150.0', ['non-strict', 17]],
      ],
    ],
    [
      'object',
      [{ explode: false, expected: rgb }],
      [
        ['color=R,100,G,200,B,150', 'pass'],
        ['color=R%2C100%2CG%2C200%2CB%2C150', ['fail', 6]],
        ['R=100&G=200&B=150', ['fail', 0]],
      ],
    ],
    [
      'spaces',
      [{ style: 'spaceDelimited', explode: false, expected: colors }],
      [
        ['color=blue%20black%20brown', 'pass'],
        ['color=blue+black+brown', 'pass'],
        ['color=blue%2Bblack%2Bbrown', ['fail', 10]],
        ['color=blue,black,brown', ['fail', 10]],
        ['color=blue%20black', ['fail', 18]],
      ],
    ],
    [
      'spaces, object',
      [{ style: 'spaceDelimited', explode: false, expected: rgb }],
      [
        ['color=R%20100+G%20200%20B+150', 'pass'],
        ['color=R%20100', ['fail', 13]],
      ],
    ],
    [
      'bars',
      [{ style: 'pipeDelimited', explode: false, expected: colors }],
      [
        ['color=blue%7Cblack%7cbrown', 'pass'],
        ['color=blue|black|brown', ['non-strict', 10]],
        ['color=blue|black%7Cbrown', ['non-strict', 10]],
        ['color=blue%7Cblack,brown', ['fail', 18]],
      ],
    ],
    [
      'bars, object',
      [{ style: 'pipeDelimited', explode: false, expected: rgb }],
      [['color=R%7C100%7CG%7C200%7CB%7C150', 'pass']],
    ],
    [
      'deep object',
      [{ style: 'deepObject', expected: rgb }],
      [
        ['color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150', 'pass'],
        ['color%5bB%5d=150&color%5BR%5D=100&color%5BG%5D=200', 'pass'],
        ['color[R]=100&color[G]=200&color[B]=150', ['non-strict', 5]],
        ['color.R=100&color.G=200&color.B=150', ['fail', 0]],
        ['color%5BR%5D=100&color%5BG%5D=200', ['fail', 33]],
      ],
    ],
    [
      'falsy values',
      [
        { name: 'flag', expected: boolean(false) },
        { name: 'count', expected: integer(0) },
        { name: 'text', expected: text('') },
      ],
      [
        ['flag=false&count=0&text=', 'pass'],
        ['text=&flag=false&count=0', 'pass'],
        ['flag=false&count=0&text', ['non-strict', 23]],
        ['flag=False&count=0&text=', ['non-strict', 5]],
        ['flag=0&count=0&text=', ['non-strict', 5]],
        ['flag=FALSE&count=0&text=', ['fail', 5]],
        ['flag=&count=0&text=', ['fail', 5]],
        ['flag=true&count=0&text=', ['fail', 5]],
        ['count=0&text=', ['fail', 13]],
        ['flag=false&count=-0&text=', 'pass'],
      ],
    ],
    [
      'an optional parameter',
      [{}],
      [
        ['', 'pass'],
        ['color=', ['fail', 0]],
        ['color=undefined', ['fail', 0]],
        ['color', ['fail', 0]],
      ],
    ],
    [
      'reserved characters',
      [{ name: 'value', expected: text('a&b=c+d e/f?g:h@i%j#k') }],
      [
        ['value=a%26b%3Dc%2Bd%20e%2Ff%3Fg%3Ah%40i%25j%23k', 'pass'],
        ['value=a%26b=c%2Bd+e/f?g:h@i%25j%23k', 'pass'],
        ['value=a%26b=c+d+e/f?g:h@i%25j%23k', ['fail', 13]],
        ['value=a&b=c%2Bd', ['fail', 7]],
        ['value=a%26b=c%2Bd+e/f?g:h@i%j%23k', ['fail', 27]],
      ],
    ],
    [
      'a date-time',
      [{ name: 'value', expected: evening }],
      [
        ['value=2026-02-28T23%3A30%3A00%2B02%3A00', 'pass'],
        ['value=2026-02-28T21:30:00Z', 'pass'],
        ['value=2026-02-28T23:30:00+02:00', ['fail', 6]],
        ['value=2026-02-28+21:30:00Z', ['non-strict', 16]],
      ],
    ],
    [
      'a number',
      [{ name: 'value', expected: number(0.1) }],
      [
        ['value=0.1', 'pass'],
        ['value=1e-1', 'pass'],
        ['value=.10', 'pass'],
        ['value=0.10000000000000000001', 'pass'],
        ['value=0.2', ['fail', 6]],
        ['value=0,1', ['fail', 6]],
        ['value=0x1', ['fail', 6]],
        ['value=', ['fail', 6]],
      ],
    ],
    [
      'allowReserved',
      [{ name: 'value', allowReserved: true, expected: text('a/b?c:d@e') }],
      [
        ['value=a/b?c:d@e', 'pass'],
        ['value=%61/b?c:d@e', 'pass'],
        ['value=a/b%3Fc:d@e', ['non-strict', 9]],
        ['value=a%2Fb%3Fc%3Ad%40e', ['non-strict', 7]],
      ],
    ],
    [
      'names',
      [
        { name: 'filter[name]', expected: text('a') },
        { name: '$top', expected: integer(1) },
        { name: 'größe', expected: text('d') },
      ],
      [
        ['filter%5Bname%5D=a&%24top=1&gr%C3%B6%C3%9Fe=d', 'pass'],
        ['filter%5Bname%5D=a&$top=1&gr%C3%B6%C3%9Fe=d', 'pass'],
        ['filter[name]=a&$top=1&gr%C3%B6%C3%9Fe=d', ['non-strict', 6]],
        ['filter%5Bname%5D=a&top=1&gr%C3%B6%C3%9Fe=d', ['fail', 19]],
      ],
    ],
    [
      'JSON',
      [{ name: 'filter', isJson: true, expected: object({ R: integer(100), G: list(integer(1), integer(2)) }) }],
      [
        ['filter=%7B%22R%22%3A100%2C%22G%22%3A%5B1%2C2%5D%7D', 'pass'],
        ['filter=%7B%22G%22:+[1,2],%22R%22:1e2%7D', ['non-strict', 19]],
        ['filter=%7B%22R%22%3A101%2C%22G%22%3A%5B1%2C2%5D%7D', ['fail', 20]],
        ['filter=%7B%22R%22%3A100%7D', ['fail', 23]],
        ['filter=R,100,G,1,2', ['fail', 7]],
        ['filter=%7B%22R%22%3A100%2C%22R%22%3A100%7D', ['fail', 26]],
      ],
    ],
  ]
  it.each(kinds)('%s', (_, over, rows) =>
    eachRow(rows, ([query, wanted]) => {
      const judgement = judgeSent(queryCase(...over), { query })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(query)
    }),
  )
})

describe('in a form', () => {
  const kinds: readonly (readonly [string, readonly Partial<ExpectedParameter>[], readonly Row[]])[] = [
    [
      'reserved characters',
      [{ name: 'text', expected: text('a&b=c+d e%f 火') }],
      [
        ['text=a%26b%3Dc%2Bd+e%25f+%E7%81%AB', 'pass'],
        ['text=a%26b%3Dc%2Bd%20e%25f%20%E7%81%AB', 'pass'],
        ['text=a%26b%3Dc%2Bd+e%25f+火', ['non-strict', 25]],
        ['text=a%26b%3Dc%2Bd e%25f+%E7%81%AB', ['non-strict', 18]],
        ['text=a%26b%3Dc+d+e%25f+%E7%81%AB', ['fail', 14]],
      ],
    ],
    [
      'JSON',
      [{ isJson: true, expected: object({ R: integer(100) }) }],
      [
        ['color=%7B%22R%22%3A100%7D', 'pass'],
        ['color={"R":100}', ['non-strict', 6]],
        ['R=100', ['fail', 0]],
        ['color=%5Bobject+Object%5D', ['fail', 6]],
      ],
    ],
    [
      'spaces',
      [{ name: 'tags', style: 'spaceDelimited', explode: false, expected: list(text('a'), text('b')) }],
      [
        ['tags=a%20b', 'pass'],
        ['tags=a+b', 'pass'],
        ['tags=a b', ['non-strict', 6]],
      ],
    ],
    [
      'an optional member',
      [{ name: 'name', expected: blue }, { name: 'tag' }],
      [
        ['name=blue', 'pass'],
        ['name=blue&tag=', ['fail', 10]],
        ['name=blue&', ['non-strict', 9]],
        ['name=blue\n', ['fail', 9]],
      ],
    ],
  ]
  it.each(kinds)('%s', (_, over, rows) =>
    eachRow(rows, ([body, wanted]) => {
      const judgement = judgeSent(formCase(...over), { body, type: FORM_TYPE })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(body)
    }),
  )
})

describe('in a header', () => {
  const rows: readonly (readonly [string, Partial<ExpectedParameter>, string | undefined, Wanted])[] = [
    ['text', { expected: blue }, 'blue', 'pass'],
    ['text', { expected: blue }, 'blau', ['fail', 2]],
    ['text', { expected: blue }, undefined, ['fail', 0]],
    ['text', { expected: blue }, '', ['fail', 0]],
    ['text', { expected: blue }, '%62lue', ['fail', 0]],
    ['list', { expected: colors }, 'blue,black,brown', 'pass'],
    ['list', { expected: colors }, 'blue, black ,\tbrown', 'pass'],
    ['list', { expected: colors }, 'blue,black', ['fail', 10]],
    ['list', { expected: colors }, 'blue black brown', ['fail', 4]],
    ['list', { expected: colors }, 'blue%2Cblack,brown', ['fail', 4]],
    ['object', { expected: rgb }, 'R, 100, G, 200, B, 150', 'pass'],
    ['object', { expected: rgb }, 'B,150,R,100,G,200', 'pass'],
    ['object, exploded', { expected: rgb, explode: true }, 'R=100, G=200, B=150', 'pass'],
    ['object, exploded', { expected: rgb, explode: true }, 'R=100, G=200', ['fail', 12]],
    ['not encoded', { expected: text('a/b c%20d') }, 'a/b c%20d', 'pass'],
    ['not encoded', { expected: text('a/b c%20d') }, 'a%2Fb%20c%2520d', ['fail', 1]],
    ['absent', {}, undefined, 'pass'],
    ['absent', {}, 'undefined', ['fail', 0]],
    ['absent', {}, '', ['fail', 0]],
    ['integer', { expected: integer(0) }, '0', 'pass'],
    ['integer', { expected: integer(0) }, '0.0', ['non-strict', 1]],
    ['date-time', { expected: evening }, '2026-02-28T21:30:00Z', 'pass'],
  ]
  it('a value is compared with what its kind allows', () =>
    eachRow(rows, ([, over, value, wanted]) => {
      const judgement = judgeSent(headerCase(over), { headers: value === undefined ? {} : { 'x-color': value } })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(value ?? '')
    }))
})

describe('in cookies', () => {
  const size: Partial<ExpectedParameter> = { name: 'size', expected: integer(3) }
  const rows: readonly (readonly [
    string,
    readonly Partial<ExpectedParameter>[],
    string | undefined,
    Wanted,
    string,
  ])[] = [
    ['one', [{ expected: blue }], 'color=blue', 'pass', 'color=blue'],
    ['one', [{ expected: blue }], 'session=secret; color=blue; x=y', 'pass', 'color=blue'],
    ['one', [{ expected: blue }], undefined, ['fail', 0], ''],
    ['one', [{ expected: blue }], 'color="blue"', ['fail', 6], 'color="blue"'],
    ['one', [{ expected: blue }], 'color=blue; color=blue', ['fail', 12], 'color=blue; color=blue'],
    ['two', [{ expected: blue }, size], 'color=blue; size=3', 'pass', 'color=blue; size=3'],
    ['two', [{ expected: blue }, size], 'size=3; color=blue', 'pass', 'size=3; color=blue'],
    ['two', [{ expected: blue }, size], 'size=3; session=secret; color=blue', 'pass', 'size=3; color=blue'],
    ['two', [{ expected: blue }, size], 'color=blue;size=3', ['non-strict', 10], 'color=blue;size=3'],
    ['two', [{ expected: blue }, size], 'color=blue&size=3', ['fail', 10], 'color=blue&size=3'],
    ['two', [{ expected: blue }, size], 'color=blue, size=3', ['fail', 10], 'color=blue, size=3'],
    ['two', [{ expected: blue }, size], 'color=blue; size=4', ['fail', 17], 'color=blue; size=4'],
    ['two', [{ expected: blue }, size], 'color=blue', ['fail', 10], 'color=blue'],
    ['absent', [{}], undefined, 'pass', ''],
    ['absent', [{}], 'session=secret', 'pass', ''],
    ['absent', [{}], 'color=', ['fail', 0], 'color='],
  ]
  it('those of the case are compared, and others are not shown', () =>
    eachRow(rows, ([, over, cookie, wanted, received]) => {
      const judgement = judgeSent(cookieCase(...over), { headers: cookie === undefined ? {} : { Cookie: cookie } })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(received)
    }))
})

describe('in Accept', () => {
  const accepting = { ...caseOf('response/accept'), accepts: 'application/json' }

  const rows: readonly Row[] = [
    ['application/json', 'pass'],
    ['Application/JSON; q=0.1, text/html', 'pass'],
    ['application/*', 'pass'],
    ['*/*', 'pass'],
    ['', 'pass'],
    ['application/xml', ['fail', 15]],
    ['application/json;q=0, */*', ['fail', 25]],
    ['*/*;q=0', ['fail', 7]],
  ]
  it('is the media type of the answer', () =>
    eachRow(rows, ([accept, wanted]) => {
      const judgement = judgeSent(accepting, { headers: accept === '' ? {} : { Accept: accept } })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(accept)
    }))
})

describe('several differences', () => {
  const sameName = caseOf('query/same-name', {
    path: '/query/same-name/{id}',
    parameters: [
      parameter('path', { name: 'id', expected: integer(1) }),
      parameter('query', { name: 'id', expected: integer(2) }),
      parameter('header', { name: 'id', expected: integer(3) }),
    ],
  })
  const rows: readonly (readonly [string, string, string, Wanted, string])[] = [
    ['1', 'id=2', '3', 'pass', 'id=2'],
    ['2', 'id=3', '3', ['fail', 0], '2'],
    ['1', 'id=1', '1', ['fail', 3], 'id=1'],
    ['1', 'id=2', '2', ['fail', 0], '2'],
    ['1.0', 'id=2', '2', ['fail', 0], '2'],
    ['1.0', 'id=2&', '3', ['non-strict', 1], '1.0'],
  ]
  it('the worst of them is told, and the first of those', () =>
    eachRow(rows, ([rest, query, id, wanted, received]) => {
      const judgement = judgeSent(sameName, { rest, query, headers: { id } })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(received)
    }))

  it('says that the comma is encoded', () => {
    const judgement = judgeSent(queryCase({ explode: false, expected: colors }), {
      query: 'color=blue%2Cblack%2Cbrown',
    })
    expect(judgement.reason).toBe(
      'The comma between items of "color" in the query is encoded, so one item arrived: "blue,black,brown".',
    )
  })

  it('cuts what a caller sent', () => {
    const judgement = judgeSent(queryCase({ expected: blue }), { query: `${'%07'.repeat(3000)}=1` })
    expect(judgement.reason).toMatch(/^.{1,200}$/s)
    expect(judgement.received).toHaveLength(2048)
  })

  it('names the variant of an open case', () => {
    const open: JudgedCase = {
      ...queryCase({ expected: list() }),
      level: 'open',
      variants: [
        ['absent', '^$'],
        ['color=', '^color=$'],
        ['other', ''],
      ],
    }
    const reasons = ['', 'color=', 'x'].map((query) => judgeRequest(open, arrive({ query })))
    expect(reasons.map(({ verdict, reason, at }) => [verdict, reason, at])).toEqual([
      ['info', 'absent', null],
      ['info', 'color=', null],
      ['info', 'other', null],
    ])
  })
})
