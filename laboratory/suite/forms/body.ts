import { type FormsOfGroup, fail, info, nonStrict, typed } from './form.ts'

const PLAIN = fail('labelled as text', typed('text/plain;charset=UTF-8'))
const EMPTY = fail('an empty object', { body: '{}' })
const NOTHING = fail('nothing sent', { body: '', headers: { 'Content-Type': null } })

export const BODY_FORMS: FormsOfGroup = {
  object: [fail('everything as a text', { body: '{"name":"blue","count":"3","flag":"true"}' }), PLAIN],
  null: [fail('null left out', { body: '{}' }), PLAIN],
  absent: [fail('null for nothing', { body: '{"item":null}' }), PLAIN],
  falsy: [fail('the empty text left out', { body: '{"flag":false,"count":0}' }), EMPTY, PLAIN],
  empty: [fail('a list for the object', { body: '{"tags":[],"options":[]}' }), EMPTY, PLAIN],
  int32: [fail('as texts', { body: '["-2147483648","2147483647"]' }), PLAIN],
  int64: [fail('rounded to doubles', { body: '[-9223372036854776000,9223372036854776000]' }), PLAIN],
  double: [fail('rounded to 32 bits', { body: '[0.1,1e-07,3.4028235e+38,0]' }), PLAIN],
  'negative-zero': [info('0', { body: '0' }), info('-0', { body: '-0.0' })],
  'date-time': [
    fail('as Ruby prints it', { body: '{"at":"2026-02-28 23:30:00 +0200"}' }),
    fail('the offset left out', { body: '{"at":"2026-02-28T23:30:00"}' }),
    PLAIN,
  ],
  date: [
    fail('a date with a time', { body: '{"on":"2026-02-28T00:00:00Z"}' }),
    fail('a day before', { body: '{"on":"2026-02-27"}' }),
    PLAIN,
  ],
  duration: [fail('seconds', { body: '{"for":93600}' }), PLAIN],
  base64: [fail('the alphabet of base64url', { body: '{"bytes":"-_8="}' }), PLAIN],
  base64url: [fail('the alphabet of base64', { body: '{"bytes":"+/8="}' }), PLAIN],
  strings: [fail('a question mark for the planet', { body: '{"text":"  ? \\" \\\\ é"}' }), PLAIN],
  enum: [fail('the name of a constant', { body: '{"type":"GAS_GIANT"}' }), PLAIN],
  const: [fail('left out', { body: '{}' }), PLAIN],
  discriminator: [
    fail('the name of the schema', { body: '{"kind":"Moon","diameter":3475}' }),
    fail('the kind left out', { body: '{"diameter":3475}' }),
    PLAIN,
  ],
  'one-of': [fail('an empty object', { body: '{"item":{}}' }), fail('as a text', { body: '{"item":"3"}' }), PLAIN],
  'any-of': [fail('only the first schema', { body: '{"a":1}' }), PLAIN],
  'all-of': [fail('only the last schema', { body: '{"name":"blue"}' }), PLAIN],
  map: [fail('an empty object', { body: '{}' }), fail('a list of pairs', { body: '[["a",1],["b",2]]' }), PLAIN],
  'open-object': [fail('unknown members dropped', { body: '{"name":"blue"}' }), PLAIN],
  'read-only': [fail('null for the name', { body: '{"id":"a","name":null}' }), PLAIN],
  'write-only': [fail('left out', { body: '{"name":"blue"}' }), PLAIN],
  names: [
    fail('names of a program', {
      body: '{"_class":1,"id":2,"type":3,"aB":4,"cD":5,"eF":6,"groesse":7,"_1st":8}',
    }),
    PLAIN,
  ],
  'similar-names': [fail('one name for all', { body: '{"FooBar":3}' }), PLAIN],
  recursive: [fail('only the first level', { body: '{"name":"a","children":[]}' }), PLAIN],
  'nested-arrays': [
    fail('made one list', { body: '[1,2]' }),
    fail('the empty list left out', { body: '[[1,2]]' }),
    PLAIN,
  ],
  tuple: [fail('everything as a text', { body: '["blue","3"]' }), PLAIN],
  'top-string': [
    fail('no quotes', { body: 'blue' }),
    fail('the type of a form', typed('application/x-www-form-urlencoded')),
    PLAIN,
  ],
  'top-number': [fail('a text', { body: '"42"' }), PLAIN],
  'top-boolean': [NOTHING, PLAIN],
  'top-null': [NOTHING, PLAIN],
  'top-array': [fail('an object with indices', { body: '{"0":"a","1":"b"}' }), PLAIN],
  'no-body': [
    fail('an empty object', { body: '{}', ...typed('application/json') }),
    fail('null', { body: 'null', ...typed('application/json') }),
  ],
  text: [fail('a text as JSON', { body: '"größe\\nb"' }), fail('labelled as JSON', typed('application/json'))],
  bytes: [
    EMPTY,
    fail('the path of the file', { body: '"/tmp/galaxy-lab/bytes"' }),
    nonStrict('no Content-Type', typed(null)),
  ],
  'vendor-json': [fail('labelled as application/json', typed('application/json'))],
  'merge-patch': [
    fail('null left out', { body: '{}' }),
    fail('labelled as application/json', typed('application/json')),
  ],
  'two-types': [
    info('JSON', { body: '{"name":"blue"}' }),
    info('XML', { body: '<value><name>blue</name></value>', ...typed('application/xml') }),
  ],
  'query-method': [fail('zero left out', { body: '{"name":"blue"}' }), NOTHING, PLAIN],
  'additional-method': [NOTHING, EMPTY],
  jsonl: [
    fail('one list', { body: '[{"text":"a\\nb"},{"text":"c"}]' }),
    fail('labelled as application/x-ndjson', typed('application/x-ndjson')),
    nonStrict('an empty line', { body: '{"text":"a\\nb"}\n\n{"text":"c"}\n' }),
  ],
  'self-reference': [EMPTY, NOTHING, PLAIN],
}

const JSON_LABEL = typed('application/json; charset=utf-8')
const OBJECT = fail('an object as JavaScript prints it', { body: '[object Object]' })

export const XML_FORMS: FormsOfGroup = {
  attribute: [
    fail('JSON under the type of XML', { body: '{"id":7,"name":"blue"}' }),
    fail('names of a program', { body: '<XmlAttributeValue><Id>7</Id><Name>blue</Name></XmlAttributeValue>' }),
    fail('labelled as JSON', JSON_LABEL),
  ],
  wrapped: [
    fail('JSON under the type of XML', { body: '{"tags":["a","b"]}' }),
    fail('names of a program', { body: '<XmlWrappedValue><Tags>a</Tags><Tags>b</Tags></XmlWrappedValue>' }),
    OBJECT,
  ],
  unwrapped: [
    fail('JSON under the type of XML', { body: '{"tags":["a","b"]}' }),
    fail('names of a program', { body: '<XmlUnwrappedValue><Tags>a</Tags><Tags>b</Tags></XmlUnwrappedValue>' }),
    OBJECT,
  ],
  namespace: [
    fail('JSON under the type of XML', { body: '{"name":"blue"}' }),
    fail('the namespace left out', { body: '<planet><name>blue</name></planet>' }),
    OBJECT,
  ],
  escaped: [
    fail('JSON under the type of XML', { body: '{"name":"a < b & c"}' }),
    fail('nothing escaped', { body: '<planet><name>a < b & c</name></planet>' }),
    OBJECT,
  ],
  'node-list': [
    fail('members as elements', {
      body: '<planets><planet><id>7</id><name>blue</name></planet><planet><id>8</id><name>black</name></planet></planets>',
    }),
    fail('no element around the list', { body: '<planet id="7">blue</planet><planet id="8">black</planet>' }),
    fail('JSON under the type of XML', { body: '[{"id":7,"name":"blue"},{"id":8,"name":"black"}]' }),
  ],
  'node-cdata': [
    nonStrict('a text', { body: '<note>a &lt; b &amp; c</note>' }),
    fail('an element', { body: '<note><text>a &lt; b &amp; c</text></note>' }),
    fail('JSON under the type of XML', { body: '{"text":"a < b & c"}' }),
  ],
  'node-reference': [
    fail('the name of the member', { body: '<planet><moon><name>Io</name></moon></planet>' }),
    fail('both names', {
      body: '<planet><moon><XmlNodeReferenceMoon><name>Io</name></XmlNodeReferenceMoon></moon></planet>',
    }),
    fail('JSON under the type of XML', { body: '{"moon":{"name":"Io"}}' }),
  ],
}
