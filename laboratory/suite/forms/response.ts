import { type FormsOfGroup, fail, info } from './form.ts'

const EMPTY = fail('nothing read', { body: '{}' })
const NO_STATUS = fail('the status of a success', { body: '{"status":200}' })

/** What PUT carries. */
export const RESPONSE_FORMS: FormsOfGroup = {
  object: [fail('everything as a text', { body: '{"name":"blue","count":"3","flag":"true"}' }), EMPTY],
  int64: [
    fail('rounded to doubles', {
      body: '{"beyond":9007199254740992,"max":9223372036854776000,"min":-9223372036854776000}',
    }),
  ],
  'number-forms': [fail('as texts', { body: '{"exponent":"1E2","fraction":"1.50","whole":"1.0"}' }), EMPTY],
  strings: [
    fail('escapes not decoded', { body: '{"escape":"\\\\u00e9","pair":"🪐","slash":"a/b","separator":"a b"}' }),
  ],
  'date-times': [
    fail('cut to seconds', {
      body: '{"utc":"2026-02-28T21:30:00Z","offset":"2026-03-01T03:00:00+05:30","nanoseconds":"2026-02-28T21:30:00Z","whole":"2026-02-28T21:30:00Z"}',
    }),
    fail('as Ruby prints them', {
      body: '{"utc":"2026-02-28 21:30:00 UTC","offset":"2026-03-01 03:00:00 +0530","nanoseconds":"2026-02-28 21:30:00 UTC","whole":"2026-02-28 21:30:00 UTC"}',
    }),
  ],
  date: [
    fail('a date with a time', { body: '{"on":"2026-02-28T00:00:00Z"}' }),
    fail('a day before', { body: '{"on":"2026-02-27"}' }),
  ],
  'unknown-member': [fail('nothing but what is unknown', { body: '{"discovered":{"year":1846}}' }), EMPTY],
  null: [
    fail('null left out', { body: '{"name":"blue"}' }),
    fail('an empty text', { body: '{"name":"blue","item":""}' }),
  ],
  absent: [
    fail('an empty list for nothing', { body: '{"name":"blue","tags":[]}' }),
    fail('null for nothing', { body: '{"name":"blue","note":null,"count":null,"tags":null}' }),
  ],
  empty: [
    fail('a list for the object', { body: '{"tags":[],"options":[],"text":""}' }),
    fail('null for what is empty', { body: '{"tags":null,"options":null,"text":null}' }),
  ],
  discriminator: [
    fail('the members of one kind dropped', { body: '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"star"}]}' }),
    fail('no body read', { body: '{"bodies":[]}' }),
  ],
  'read-only': [fail('the id dropped', { body: '{"name":"blue"}' })],
  'write-only': [fail('null for what does not come', { body: '{"name":"blue","secret":null}' }), EMPTY],
  map: [fail('names made safe', { body: '{"a":1,"b_c":2,"gr__e":3}' }), EMPTY],
  recursive: [fail('cut at the second level', { body: '{"name":"a","children":[{"name":"b","children":[]}]}' })],
  text: [fail('read as Latin-1', { body: 'grÃ¶Ã\\xc2\\x9fe\nç\\xc2\\x81«æ\\xc2\\x98\\xc2\\x9f' }), EMPTY],
  bytes: [EMPTY, fail('the path of the file', { body: '"/tmp/galaxy-lab/download"' })],
  base64: [
    fail('bytes as a list', { body: '{"bytes":[251,255]}' }),
    fail('read as UTF-8', { body: '{"bytes":"77+977+9"}' }),
  ],
  'vendor-json': [fail('read as Latin-1', { body: '{"name":"grÃ¶Ã\\xc2\\x9fe"}' }), EMPTY],
  'no-content': [NO_STATUS, EMPTY],
  'two-successes': [fail('the body not read', { body: '{"status":202}' }), NO_STATUS],
  headers: [
    fail('as Ruby prints a date', {
      body: '{"colors":["blue","black","brown"],"count":3,"since":"2026-02-28 23:30:00 +0200"}',
    }),
    fail('a list as one text', {
      body: '{"colors":["blue,black,brown"],"count":3,"since":"2026-02-28T23:30:00+02:00"}',
    }),
  ],
  problem: [fail('the body not read', { body: '{"status":404}' }), NO_STATUS],
  default: [fail('the body not read', { body: '{"status":500}' }), NO_STATUS],
  range: [fail('the body not read', { body: '{"status":418}' }), NO_STATUS],
  accept: [
    fail('another type', { headers: { Accept: 'text/html' } }),
    fail('refused by a quality of 0', { headers: { Accept: 'application/json;q=0, */*' } }),
  ],
  xml: [
    EMPTY,
    fail('the XML as it came', { body: '<planet id="7"><name>a &lt; b</name><tag>x</tag><tag>y</tag></planet>' }),
    fail('the names of XML not known', { body: '{"id":0,"name":"","tags":null}' }),
  ],
  'unknown-enum': [
    info('returned', { body: '{"name":"blue","type":"ocean"}' }),
    info('dropped', { body: '{"name":"blue"}' }),
  ],
  'unknown-kind': [
    info('returned', { body: '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"comet","period":76}]}' }),
    info('dropped', { body: '{"bodies":[{"kind":"moon","diameter":3475}]}' }),
  ],
  'byte-order-mark': [info('read', { body: '{"name":"blue"}' }), info('other', { body: '{"name":null}' })],
  events: [
    fail('lines of data apart', {
      body: '[{"event":"moon","data":"one"},{"event":"moon","data":"two"},{"data":"three: 3"},{"event":"star","data":" four"}]',
    }),
    fail('an event without data', {
      body: '[{"event":"moon","data":"one\\ntwo"},{"data":"three: 3"},{"event":"none","data":""},{"event":"star","data":" four"}]',
    }),
    fail('all spaces cut', {
      body: '[{"event":"moon","data":"one\\ntwo"},{"data":"three: 3"},{"event":"star","data":"four"}]',
    }),
  ],
  'events-json': [
    fail('data as a text', {
      body: '[{"id":"1","event":"count","retry":1500,"data":"{\\"name\\":\\"blue\\",\\n\\"count\\":3}"},{"id":"2","event":"count","data":"{\\"name\\":\\"a\\\\nb\\",\\"count\\":0}"}]',
    }),
    fail('ids as numbers', {
      body: '[{"id":1,"event":"count","retry":1500,"data":{"name":"blue","count":3}},{"id":2,"event":"count","data":{"name":"a\\nb","count":0}}]',
    }),
    fail('retry as a text', {
      body: '[{"id":"1","event":"count","retry":"1500","data":{"name":"blue","count":3}},{"id":"2","event":"count","data":{"name":"a\\nb","count":0}}]',
    }),
  ],
  jsonl: [
    fail('the last line lost', { body: '[{"text":"a\\u2028b"},{"text":"c\\nd"}]' }),
    fail('cut at a line separator', { body: '[{"text":"a"},{"text":"c\\nd"},{"text":""}]' }),
    fail('one item', { body: '{"text":"a\\u2028b"}' }),
  ],
  'json-seq': [
    fail('nothing read', { body: '[]' }),
    fail('an item for each line', { body: '["{",{"text":"a"},"}",{"text":"b\\u001e"}]' }),
  ],
  'multipart-mixed': [
    fail('an item for the preamble', { body: '["preamble",{"name":"blue"},{"name":"--a=_b"}]' }),
    fail('cut at what looks like a boundary', { body: '[{"name":"blue"}]' }),
  ],
  'default-mapping': [
    fail('the kind lost', { body: '{"bodies":[{"kind":"moon","diameter":3475},{"name":"Halley"},{"name":"Ceres"}]}' }),
    fail('what is not mapped lost', { body: '{"bodies":[{"kind":"moon","diameter":3475}]}' }),
    fail('null for absent', {
      body: '{"bodies":[{"kind":"moon","diameter":3475},{"kind":"comet","name":"Halley"},{"kind":null,"name":"Ceres"}]}',
    }),
  ],
}
