import type { Group, Level, Version } from '../case.ts'

/** A row: name, level, the form that we would send (`-` if there is none), and the input as JSON if it is a value. */
export type Row = readonly [name: string, level: Level, wire: string, input?: string]

/** The cases that OpenAPI 3.1 and 3.2 can say, and 3.0 cannot. */
export const SINCE_31 = ['body/base64url', 'body/const', 'body/tuple']

/** The cases that only OpenAPI 3.2 can say. */
export const ONLY_IN_32 = [
  'path/allow-reserved',
  'query/querystring-form',
  'query/querystring-json',
  'cookie/raw',
  'cookie/raw-array',
  'cookie/raw-array-unexploded',
  'cookie/percent-encoded',
  'form/serialized-example',
  'multipart/json-items',
  'multipart/mixed',
  'multipart/nested',
  'body/query-method',
  'body/additional-method',
  'body/jsonl',
  'body/self-reference',
  'xml/node-list',
  'xml/node-cdata',
  'xml/node-reference',
  'response/events',
  'response/events-json',
  'response/jsonl',
  'response/json-seq',
  'response/multipart-mixed',
  'response/default-mapping',
]

/** The cases in whose place OpenAPI 3.2 has others. */
export const UNTIL_31 = ['cookie/encoded', 'form/json-array', 'multipart/json-array']

/** The published table of the suite. A row never changes its meaning. */
export const TABLE: Readonly<Record<Group, readonly Row[]>> = {
  path: [
    ['simple-string', 'core', 'blue', '"blue"'],
    ['simple-array', 'core', 'blue,black,brown', '["blue","black","brown"]'],
    ['simple-array-explode', 'core', 'blue,black,brown', '["blue","black","brown"]'],
    ['simple-object', 'core', 'R,100,G,200,B,150', '{"R":100,"G":200,"B":150}'],
    ['simple-object-explode', 'core', 'R=100,G=200,B=150', '{"R":100,"G":200,"B":150}'],
    ['label-string', 'extended', '.blue', '"blue"'],
    ['label-array', 'extended', '.blue,black,brown', '["blue","black","brown"]'],
    ['label-array-explode', 'extended', '.blue.black.brown', '["blue","black","brown"]'],
    ['label-object', 'extended', '.R,100,G,200,B,150', '{"R":100,"G":200,"B":150}'],
    ['label-object-explode', 'extended', '.R=100.G=200.B=150', '{"R":100,"G":200,"B":150}'],
    ['matrix-string', 'extended', ';color=blue', '"blue"'],
    ['matrix-array', 'extended', ';color=blue,black,brown', '["blue","black","brown"]'],
    ['matrix-array-explode', 'extended', ';color=blue;color=black;color=brown', '["blue","black","brown"]'],
    ['matrix-object', 'extended', ';color=R,100,G,200,B,150', '{"R":100,"G":200,"B":150}'],
    ['matrix-object-explode', 'extended', ';R=100;G=200;B=150', '{"R":100,"G":200,"B":150}'],
    ['reserved', 'core', 'a%2Fb%3Fc%23d%20e%25f', '"a/b?c#d e%f"'],
    ['utf8', 'core', 'gr%C3%B6%C3%9Fe%20%E7%81%AB%E6%98%9F%20%F0%9F%AA%90', '"größe 火星 🪐"'],
    ['unreserved', 'core', 'a.b-c_d~e', '"a.b-c_d~e"'],
    ['comma-item', 'core', 'a%2Cb,c', '["a,b","c"]'],
    ['date', 'core', '2026-02-28', '"2026-02-28"'],
    ['date-time', 'core', '2026-02-28T23%3A30%3A00%2B02%3A00', '"2026-02-28T23:30:00+02:00"'],
    ['int64', 'extended', '9007199254740993', '9007199254740993'],
    ['two', 'core', 'black/x/blue', '{"first":"blue","second":"black"}'],
    ['embedded', 'extended', 'report.json', '{"format":"json"}'],
    ['allow-reserved', 'extended', 'a%2Fb:c@d;e', '"a%2Fb:c@d;e"'],
  ],
  query: [
    ['form-string', 'core', 'color=blue', '"blue"'],
    ['form-array-explode', 'core', 'color=blue&color=black&color=brown', '["blue","black","brown"]'],
    ['form-array', 'core', 'color=blue,black,brown', '["blue","black","brown"]'],
    ['form-object-explode', 'core', 'R=100&G=200&B=150', '{"R":100,"G":200,"B":150}'],
    ['form-object', 'extended', 'color=R,100,G,200,B,150', '{"R":100,"G":200,"B":150}'],
    ['space-array', 'extended', 'color=blue%20black%20brown', '["blue","black","brown"]'],
    ['space-object', 'extended', 'color=R%20100%20G%20200%20B%20150', '{"R":100,"G":200,"B":150}'],
    ['pipe-array', 'extended', 'color=blue%7Cblack%7Cbrown', '["blue","black","brown"]'],
    ['pipe-object', 'extended', 'color=R%7C100%7CG%7C200%7CB%7C150', '{"R":100,"G":200,"B":150}'],
    ['deep-object', 'core', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150', '{"R":100,"G":200,"B":150}'],
    ['falsy', 'core', 'flag=false&count=0&text=', '{"flag":false,"count":0,"text":""}'],
    ['omitted', 'core', '(no query)'],
    ['boolean-array', 'core', 'flags=true&flags=false', '[true,false]'],
    ['single-item', 'core', 'color=blue', '["blue"]'],
    ['reserved', 'core', 'value=a%26b%3Dc%2Bd%20e%2Ff%3Fg%3Ah%40i%25j%23k', '"a&b=c+d e/f?g:h@i%j#k"'],
    ['utf8', 'core', 'value=gr%C3%B6%C3%9Fe%20%E7%81%AB%E6%98%9F%20%F0%9F%AA%90', '"größe 火星 🪐"'],
    ['date-time', 'core', 'value=2026-02-28T23%3A30%3A00%2B02%3A00', '"2026-02-28T23:30:00+02:00"'],
    ['date', 'core', 'value=2026-02-28', '"2026-02-28"'],
    ['int64', 'extended', 'value=9007199254740993', '9007199254740993'],
    ['number', 'core', 'value=0.1', '0.1'],
    ['comma-item', 'core', 'color=a%2Cb,c', '["a,b","c"]'],
    ['allow-reserved', 'extended', 'value=a/b?c:d@e', '"a/b?c:d@e"'],
    [
      'names',
      'extended',
      'filter%5Bname%5D=a&%24top=1&a.b=c&gr%C3%B6%C3%9Fe=d',
      '{"filter[name]":"a","$top":1,"a.b":"c","größe":"d"}',
    ],
    [
      'reserved-words',
      'extended',
      'class=a&in=b&default=c&self=d&body=e',
      '{"class":"a","in":"b","default":"c","self":"d","body":"e"}',
    ],
    ['similar-names', 'extended', 'userId=a&user_id=b', '{"userId":"a","user_id":"b"}'],
    ['same-name', 'core', 'path 1, id=2, id: 3'],
    ['content-json', 'extended', 'filter=%7B%22R%22%3A100%2C%22G%22%3A%5B1%2C2%5D%7D', '{"R":100,"G":[1,2]}'],
    ['empty-array', 'open', '-', '[]'],
    ['null', 'open', '-'],
    ['default', 'open', '-'],
    ['deep-nested', 'open', '-', '{"a":{"b":1},"c":[1,2]}'],
    [
      'querystring-form',
      'core',
      'text=a+b%2Bc%26d&tags=x&tags=y&flag=false',
      '{"text":"a b+c&d","tags":["x","y"],"flag":false}',
    ],
    [
      'querystring-json',
      'extended',
      '%7B%22text%22%3A%22a%20b%2Bc%22%2C%22tags%22%3A%5B%22x%22%2C%22y%22%5D%2C%22flag%22%3Anull%7D',
      '{"text":"a b+c","tags":["x","y"],"flag":null}',
    ],
  ],
  header: [
    ['string', 'core', 'X-Color: blue', '"blue"'],
    ['array', 'core', 'X-Color: blue,black,brown', '["blue","black","brown"]'],
    ['object', 'extended', 'X-Color: R,100,G,200,B,150', '{"R":100,"G":200,"B":150}'],
    ['object-explode', 'extended', 'X-Color: R=100,G=200,B=150', '{"R":100,"G":200,"B":150}'],
    ['unencoded', 'extended', 'X-Color: a/b c%20d', '"a/b c%20d"'],
    ['omitted', 'core', '(no header)'],
    ['integer', 'core', 'X-Count: 0', '0'],
    ['date-time', 'extended', 'X-Since: 2026-02-28T23:30:00+02:00', '"2026-02-28T23:30:00+02:00"'],
    ['ignored', 'open', '-'],
    ['utf8', 'open', '-', '"größe"'],
  ],
  cookie: [
    ['string', 'extended', 'Cookie: color=blue', '"blue"'],
    ['two', 'extended', 'Cookie: color=blue; size=3', '{"color":"blue","size":3}'],
    ['omitted', 'extended', '(no cookie)'],
    ['array', 'open', '-', '["blue","black","brown"]'],
    ['encoded', 'open', '-', '"a b;c"'],
    ['raw', 'core', 'Cookie: color=a%2Cb/+8==', '"a%2Cb/+8=="'],
    ['raw-array', 'extended', 'Cookie: color=blue; color=black; color=brown', '["blue","black","brown"]'],
    ['raw-array-unexploded', 'extended', 'Cookie: color=blue,black,brown', '["blue","black","brown"]'],
    ['percent-encoded', 'extended', 'Cookie: color=a%20b%3Bc%2Cd', '"a b;c,d"'],
  ],
  form: [
    ['text', 'core', 'name=blue&count=3&flag=true', '{"name":"blue","count":3,"flag":true}'],
    ['array', 'core', 'tags=a&tags=b', '{"tags":["a","b"]}'],
    ['object', 'core', 'color=%7B%22R%22%3A100%7D', '{"color":{"R":100}}'],
    ['array-unexploded', 'extended', 'tags=a,b', '{"tags":["a","b"]}'],
    ['deep-object', 'extended', 'color%5BR%5D=100&color%5BG%5D=200', '{"color":{"R":100,"G":200}}'],
    ['space', 'extended', 'tags=a%20b', '{"tags":["a","b"]}'],
    ['pipe', 'extended', 'tags=a%7Cb', '{"tags":["a","b"]}'],
    ['json-array', 'extended', 'tags=%22a%22&tags=%22b%22', '{"tags":["a","b"]}'],
    ['reserved', 'core', 'text=a%26b%3Dc%2Bd+e%25f+%E7%81%AB', '{"text":"a&b=c+d e%f 火"}'],
    ['falsy', 'core', 'flag=false&count=0&text=', '{"flag":false,"count":0,"text":""}'],
    ['omitted', 'core', 'name=blue', '{"name":"blue"}'],
    ['null', 'open', '-'],
    ['serialized-example', 'open', '-', '{"text":"a b"}'],
  ],
  multipart: [
    ['text', 'core', 'parts name, count, text', '{"name":"blue","count":3,"text":"größe 火"}'],
    ['file', 'core', 'part file with these bytes'],
    ['files', 'core', 'two parts files'],
    ['array', 'core', 'two parts tags', '{"tags":["a","b"]}'],
    ['object', 'core', 'part color, application/json', '{"color":{"R":100}}'],
    ['json-array', 'extended', 'two parts tags, application/json', '{"tags":["a","b"]}'],
    ['file-type', 'core', 'part image, image/png'],
    ['file-and-json', 'core', 'both parts'],
    ['part-header', 'extended', 'part file with this header'],
    ['omitted', 'core', 'no part file'],
    ['empty-file', 'extended', 'part file, empty'],
    ['falsy', 'core', 'three parts', '{"flag":false,"count":0,"text":""}'],
    ['file-name', 'open', '-'],
    [
      'json-items',
      'extended',
      '--b\r\nContent-Disposition: form-data; name="tags"\r\nContent-Type: application/json\r\n\r\n"a"\r\n--b\r\nContent-Disposition: form-data; name="tags"\r\nContent-Type: application/json\r\n\r\n"b"\r\n--b--\r\n',
      '{"tags":["a","b"]}',
    ],
    [
      'mixed',
      'extended',
      '--b\r\nContent-Type: application/json\r\n\r\n{"name":"blue"}\r\n--b\r\nContent-Type: text/csv\r\n\r\na,b\r\n--b\r\nContent-Type: text/csv\r\n\r\nc,d\r\n--b--\r\n',
      '[{"name":"blue"},"a,b","c,d"]',
    ],
    [
      'nested',
      'extended',
      '--b\r\nContent-Type: application/json\r\n\r\n["a","b"]\r\n--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/json\r\n\r\n{"name":"blue"}\r\n--c\r\n\r\nc\r\n--c--\r\n--b--\r\n',
      '[["a","b"],[{"name":"blue"},"c"]]',
    ],
  ],
  body: [
    ['object', 'core', '{"name":"blue","count":3,"flag":true}', '{"name":"blue","count":3,"flag":true}'],
    ['null', 'core', '{"item":null}', '{"item":null}'],
    ['absent', 'core', '{}'],
    ['falsy', 'core', '{"flag":false,"count":0,"text":""}', '{"flag":false,"count":0,"text":""}'],
    ['empty', 'core', '{"tags":[],"options":{}}', '{"tags":[],"options":{}}'],
    ['int32', 'core', '[-2147483648,2147483647]', '[-2147483648,2147483647]'],
    ['int64', 'extended', '[-9223372036854775808,9223372036854775807]', '[-9223372036854775808,9223372036854775807]'],
    ['double', 'extended', '[0.1,1e-07,1.7976931348623157e+308,5e-324]', '[0.1,1e-07,1.7976931348623157e+308,5e-324]'],
    ['negative-zero', 'open', '-', '-0'],
    ['date-time', 'core', '{"at":"2026-02-28T23:30:00+02:00"}', '{"at":"2026-02-28T23:30:00+02:00"}'],
    ['date', 'core', '{"on":"2026-02-28"}', '{"on":"2026-02-28"}'],
    ['duration', 'extended', '{"for":"P1DT2H"}', '{"for":"P1DT2H"}'],
    ['base64', 'core', '{"bytes":"+/8="}', '{"bytes":"+/8="}'],
    ['base64url', 'extended', '{"bytes":"-_8="}', '{"bytes":"-_8="}'],
    ['strings', 'core', '{"text":"  🪐 \\" \\\\ é"}', '{"text":"  🪐 \\" \\\\ é"}'],
    ['enum', 'core', '{"type":"gas_giant"}', '{"type":"gas_giant"}'],
    ['const', 'extended', '{"kind":"v1"}', '{"kind":"v1"}'],
    ['discriminator', 'core', '{"kind":"moon","diameter":3475}', '{"kind":"moon","diameter":3475}'],
    ['one-of', 'extended', '{"item":3}', '{"item":3}'],
    ['any-of', 'extended', '{"a":1,"b":2}', '{"a":1,"b":2}'],
    ['all-of', 'core', '{"id":"a","name":"blue"}', '{"id":"a","name":"blue"}'],
    ['map', 'core', '{"a":1,"b":2}', '{"a":1,"b":2}'],
    ['open-object', 'core', '{"name":"blue","extra":7}', '{"name":"blue","extra":7}'],
    ['read-only', 'core', '{"name":"blue"}', '{"name":"blue"}'],
    ['write-only', 'core', '{"name":"blue","secret":"s"}', '{"name":"blue","secret":"s"}'],
    [
      'names',
      'extended',
      '{"class":1,"$id":2,"@type":3,"a-b":4,"c d":5,"e.f":6,"größe":7,"1st":8}',
      '{"class":1,"$id":2,"@type":3,"a-b":4,"c d":5,"e.f":6,"größe":7,"1st":8}',
    ],
    ['similar-names', 'extended', '{"fooBar":1,"foo_bar":2,"FooBar":3}', '{"fooBar":1,"foo_bar":2,"FooBar":3}'],
    [
      'recursive',
      'core',
      '{"name":"a","children":[{"name":"b","children":[]}]}',
      '{"name":"a","children":[{"name":"b","children":[]}]}',
    ],
    ['nested-arrays', 'core', '[[1,2],[]]', '[[1,2],[]]'],
    ['tuple', 'extended', '["blue",3]', '["blue",3]'],
    ['top-string', 'core', '"blue"', '"blue"'],
    ['top-number', 'extended', '42', '42'],
    ['top-boolean', 'extended', 'false', 'false'],
    ['top-null', 'extended', 'null', 'null'],
    ['top-array', 'core', '["a","b"]', '["a","b"]'],
    ['no-body', 'core', '(no body)'],
    ['text', 'core', 'the text, text/plain', '"größe\\nb"'],
    ['bytes', 'core', 'the bytes, application/octet-stream'],
    ['vendor-json', 'core', 'application/vnd.galaxy+json', '{"name":"blue"}'],
    ['merge-patch', 'core', 'PATCH, application/merge-patch+json', '{"description":null}'],
    ['two-types', 'open', '-'],
    ['query-method', 'core', '{"name":"blue","limit":0}', '{"name":"blue","limit":0}'],
    ['additional-method', 'extended', '{"name":"blue"}', '{"name":"blue"}'],
    ['jsonl', 'extended', '{"text":"a\\nb"}\n{"text":"c"}\n', '[{"text":"a\\nb"},{"text":"c"}]'],
    ['self-reference', 'extended', '{"name":"blue"}', '{"name":"blue"}'],
  ],
  xml: [
    ['attribute', 'extended', '<planet id="7"><name>blue</name></planet>'],
    ['wrapped', 'extended', '<planet><tags><tag>a</tag><tag>b</tag></tags></planet>'],
    ['unwrapped', 'extended', '<planet><tag>a</tag><tag>b</tag></planet>'],
    ['namespace', 'extended', '<g:planet xmlns:g="https://galaxy.example/ns"><g:name>blue</g:name></g:planet>'],
    ['escaped', 'extended', '<planet><name>a &lt; b &amp; c</name></planet>'],
    [
      'node-list',
      'extended',
      '<planets><planet id="7">blue</planet><planet id="8">black</planet></planets>',
      '[{"id":7,"name":"blue"},{"id":8,"name":"black"}]',
    ],
    ['node-cdata', 'extended', '<note><![CDATA[a < b & c]]></note>', '{"text":"a < b & c"}'],
    [
      'node-reference',
      'extended',
      '<planet><XmlNodeReferenceMoon><name>Io</name></XmlNodeReferenceMoon></planet>',
      '{"moon":{"name":"Io"}}',
    ],
  ],
  response: [
    ['object', 'core', '-', '{"name":"blue","count":3,"flag":true}'],
    ['int64', 'extended', '-'],
    ['number-forms', 'extended', '-'],
    ['strings', 'core', '-'],
    ['date-times', 'core', '-'],
    ['date', 'core', '-', '"2026-02-28"'],
    ['unknown-member', 'core', '-'],
    ['null', 'core', '-'],
    ['absent', 'core', '-'],
    ['empty', 'core', '-'],
    ['discriminator', 'core', '-'],
    ['read-only', 'core', '-'],
    ['write-only', 'core', '-'],
    ['map', 'core', '-'],
    ['recursive', 'core', '-'],
    ['text', 'core', '-'],
    ['bytes', 'core', '-'],
    ['base64', 'core', '-'],
    ['vendor-json', 'core', '-'],
    ['no-content', 'core', '-'],
    ['two-successes', 'extended', '-'],
    ['headers', 'extended', '-'],
    ['problem', 'core', '-'],
    ['default', 'extended', '-'],
    ['range', 'extended', '-'],
    ['accept', 'core', '-'],
    ['xml', 'extended', '-'],
    ['unknown-enum', 'open', '-'],
    ['unknown-kind', 'open', '-'],
    ['byte-order-mark', 'open', '-'],
    ['events', 'core', '-'],
    ['events-json', 'extended', '-'],
    ['jsonl', 'core', '-'],
    ['json-seq', 'extended', '-'],
    ['multipart-mixed', 'extended', '-'],
    ['default-mapping', 'core', '-'],
  ],
  redirect: [
    ['301-get', 'extended', '-'],
    ['303-post', 'extended', '-'],
    ['307-post', 'extended', '-'],
    ['308-put', 'extended', '-'],
    ['relative', 'extended', '-'],
  ],
  retry: [
    ['after-seconds', 'extended', '-'],
    ['after-date', 'extended', '-'],
    ['limit-429', 'extended', '-'],
    ['not-400', 'extended', '-'],
    ['post-once', 'extended', '-'],
    ['same-key', 'extended', '-'],
  ],
}

/** The ids of all rows, in their order. */
export const IDS = Object.entries(TABLE).flatMap(([group, rows]) => rows.map(([name]) => `${group}/${name}`))

/** The versions of OpenAPI that can say a case, the newest first. */
export function versionsOf(id: string): Version[] {
  if (ONLY_IN_32.includes(id)) return ['3.2']
  if (UNTIL_31.includes(id)) return ['3.1', '3.0']
  return SINCE_31.includes(id) ? ['3.2', '3.1'] : ['3.2', '3.1', '3.0']
}

/** The rows that a version can say: all, or those of a group. */
export function rowsIn(version: Version, groups = Object.keys(TABLE) as readonly Group[]): readonly Row[] {
  return groups.flatMap((group) => TABLE[group].filter(([name]) => versionsOf(`${group}/${name}`).includes(version)))
}

/** How many rows there are, in all and at each level. */
export function countLevels(rows: readonly Row[]): Readonly<Record<Level | 'all' | 'judged', number>> {
  const atLevel = (wanted: Level) => rows.filter(([, level]) => level === wanted).length
  const [core, extended, open] = [atLevel('core'), atLevel('extended'), atLevel('open')]
  return { all: rows.length, judged: core + extended, core, extended, open }
}

/** How many cases the table has. */
export const COUNTS = countLevels(Object.values(TABLE).flat())

/** How many of them a version can say. */
export const COUNTS_IN = {
  '3.2': countLevels(rowsIn('3.2')),
  '3.1': countLevels(rowsIn('3.1')),
  '3.0': countLevels(rowsIn('3.0')),
}
