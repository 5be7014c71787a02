import { describeRule, type Row } from './rows.ts'

// The rules that came with OpenAPI 3.2: sequential JSON, parts by position, nodes of XML, and events.

const LINES = 'sequential JSON: split first, at a line feed'
const CR = 'sequential JSON: a carriage return before it is white space'
const LAST = 'sequential JSON: the last line feed may be missing'
const EMPTY = 'sequential JSON: an empty line is non-strict'
const TYPE = 'rule 8: type and subtype'

const [A, B] = ['{"text":"a\\nb"}', '{"text":"c"}']
const lines = (body: string, form: string, is: Row['is'], by: string, at?: Row['at'], type?: string): Row => ({
  to: 'body/jsonl',
  form,
  body,
  is,
  ...(at !== undefined && { at }),
  ...(type !== undefined && { type }),
  by,
})

describeRule('lines of JSON', [
  lines(`${A}\n${B}\n`, 'a line feed after each', 'pass', LINES),
  lines(`${A}\r\n${B}\r\n`, 'carriage returns', 'pass', CR),
  lines(`${A}\n${B}`, 'no last line feed', 'pass', LAST),
  lines(` { "text" : "a\\u000ab" }\t\n${B}`, 'white space and escapes in a line', 'pass', 'rule 6'),
  lines(`${A}\n${B}\n`, 'a charset', 'pass', TYPE, undefined, 'application/jsonl; charset=utf-8'),
  lines(`${A}\n\n${B}\n`, 'an empty line', 'non-strict', EMPTY, `${A}\n`),
  lines(`${A}\n${B}\n\r\n`, 'an empty line at the end', 'non-strict', EMPTY, `${A}\n${B}\n`),
  lines(`\n${A}\n${B}\n`, 'an empty line at the beginning', 'non-strict', EMPTY, ''),
  lines(`[${A},${B}]`, 'a list', 'fail', LINES, ''),
  lines(`${A}\n\ufeff${B}\n`, 'a byte order mark within the body', 'fail', LINES, `${A}\n`),
  lines(`{"text":\n"a\\nb"}\n${B}\n`, 'an item over two lines', 'fail', LINES, '{"text":'),
  lines(`${A}\r${B}\n`, 'a carriage return alone', 'fail', LINES, `${A}\r`),
  lines(`${A} ${B}\n`, 'a space between items', 'fail', LINES, `${A} `),
  lines(`${A},\n${B}\n`, 'a comma between items', 'fail', LINES, A),
  lines(`${B}\n${A}\n`, 'another order', 'fail', 'rule 4: not in arrays', '{"text":"'),
  lines(`${A}\n`, 'one item', 'fail', LINES, `${A}\n`),
  lines(`${A}\n${B}\n${B}\n`, 'an item too many', 'fail', 'an item too many begins with its separator', `${A}\n${B}`),
  lines(`${A}\n${B}\n`, 'another media type', 'fail', TYPE, '', 'application/x-ndjson'),
  lines('', 'no body', 'fail', LINES, 0, 'application/jsonl'),
])

const POSITION = 'parts by position: the n-th part is the n-th item'
const COUNTS = 'parts by position: each Content-Type counts'
const PLAIN = 'parts by position: a part without a Content-Type is text/plain (RFC 2046 5.2)'
const FREE = 'parts by position: Content-Disposition and other headers of a part do not count'
const RULE_9 = 'parts by position: rule 9 else, for nested parts too'

/** A part with the fields of its head. */
const part = (content: string, ...fields: readonly string[]) =>
  `--x\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n${content}\r\n`
const inner = (content: string, ...fields: readonly string[]) => part(content, ...fields).replace('--x', '--y')
const form = (...parts: readonly string[]) => `${parts.join('')}--x--\r\n`

const JSON_TYPE = 'Content-Type: application/json'
const CSV_TYPE = 'Content-Type: text/csv'
const OBJECT = part('{"name":"blue"}', JSON_TYPE)
const [FIRST, SECOND] = [part('a,b', CSV_TYPE), part('c,d', CSV_TYPE)]

const mixed = (body: string, form: string, is: Row['is'], by: string, at?: Row['at'], type?: string): Row => ({
  to: 'multipart/mixed',
  form,
  body,
  is,
  ...(at !== undefined && { at }),
  ...(type !== undefined && { type }),
  by,
})

describeRule('parts by position', [
  mixed(form(OBJECT, FIRST, SECOND), 'the usual parts', 'pass', POSITION),
  mixed(`before\r\n${form(OBJECT, FIRST, SECOND)}after`, 'a preamble and an epilogue', 'pass', RULE_9),
  mixed(
    form(
      part('{ "name": "blue" }', 'X-Part: 1', 'content-type:application/json; charset=utf-8', 'X-Part: 2'),
      part('a,b', 'Content-Disposition: attachment; filename=', CSV_TYPE),
      SECOND,
    ),
    'headers that do not count',
    'pass',
    FREE,
  ),
  mixed(
    form(OBJECT, part('a,b', 'Content-Type: Text/CSV; header=absent'), SECOND),
    'a parameter of a type',
    'pass',
    COUNTS,
  ),
  mixed(
    form(OBJECT, part('a,b', 'Content-Type: text/csv; charset = utf-8'), SECOND),
    'white space around an equals sign',
    'non-strict',
    RULE_9,
  ),
  mixed(
    form(part('{"name":"blue"}', `${JSON_TYPE}; charset=latin1`), FIRST, SECOND),
    'a charset of JSON',
    'non-strict',
    RULE_9,
  ),
  mixed(form(OBJECT, SECOND, FIRST), 'another order', 'fail', POSITION, `${OBJECT}--x\r\n${CSV_TYPE}\r\n\r\n`),
  mixed(form(part('{"name":"blue"}'), FIRST, SECOND), 'no type of the object', 'fail', PLAIN, '--x\r\n'),
  mixed(form(OBJECT, part('a,b'), SECOND), 'no type of a text', 'fail', COUNTS, `${OBJECT}--x\r\n`),
  mixed(
    form(OBJECT, part('a,b', 'Content-Type: text/plain'), SECOND),
    'another type',
    'fail',
    COUNTS,
    `${OBJECT}--x\r\nContent-Type: `,
  ),
  mixed(form(OBJECT, FIRST), 'a part missing', 'fail', POSITION, `${OBJECT}${FIRST}`),
  mixed(form(OBJECT, FIRST, SECOND, SECOND), 'a part too many', 'fail', POSITION, `${OBJECT}${FIRST}${SECOND}`),
  mixed(form(part('{"name":"blue"}', JSON_TYPE, JSON_TYPE), FIRST, SECOND), 'a type twice', 'fail', RULE_9),
  mixed(form(part('e30=', JSON_TYPE, 'Content-Transfer-Encoding: base64'), FIRST, SECOND), 'base64', 'fail', RULE_9),
  mixed(form(OBJECT, FIRST, SECOND), 'a form', 'fail', 'rule 8', '', 'multipart/form-data; boundary=x'),
  mixed(form(OBJECT, FIRST, SECOND), 'no boundary', 'fail', RULE_9, 'multipart/mixed', 'multipart/mixed'),
])

const NESTED = 'Content-Type: multipart/mixed; boundary=y'
const LIST = part('["a","b"]', JSON_TYPE)
const pair = (...parts: readonly string[]) => `${parts.join('')}--y--`
const MOON = inner('{"name":"blue"}', JSON_TYPE)
const HEAD = `${LIST}--x\r\n${NESTED}\r\n\r\n`

const nested = (second: string, form_: string, is: Row['is'], by: string, at?: Row['at']): Row => ({
  to: 'multipart/nested',
  form: form_,
  body: form(LIST, second),
  is,
  ...(at !== undefined && { at }),
  by,
})

describeRule('parts of a part', [
  nested(part(pair(MOON, inner('c')), NESTED), 'the usual parts of a part', 'pass', POSITION),
  nested(
    part(pair(MOON, inner('c', 'Content-Type: text/plain; charset=utf-8')), NESTED),
    'a text with its type',
    'pass',
    PLAIN,
  ),
  nested(
    part(`x\r\n${pair(MOON, inner('c'))}\r\ny`, `${NESTED.replace('=y', '="y"')}`),
    'quotes, preamble, epilogue',
    'pass',
    RULE_9,
  ),
  nested(part(pair(MOON, inner('c', 'Content-Disposition: inline')), NESTED), 'a disposition', 'pass', FREE),
  nested(
    part(pair(MOON, inner('c')), NESTED.replace('=', ' = ')),
    'white space around an equals sign',
    'non-strict',
    RULE_9,
  ),
  nested(
    part(pair(MOON, inner('c', 'Content-Type: text/plain; charset = utf-8')), NESTED),
    'the same in an inner part',
    'non-strict',
    RULE_9,
  ),
  nested(
    part('[{"name":"blue"},"c"]', JSON_TYPE),
    'JSON instead of parts',
    'fail',
    COUNTS,
    `${LIST}--x\r\nContent-Type: `,
  ),
  nested(part(pair(MOON, inner('d')), NESTED), 'another text', 'fail', POSITION, `${HEAD}${MOON}--y\r\n\r\n`),
  nested(part(pair(inner('c'), MOON), NESTED), 'another order of inner parts', 'fail', PLAIN, `${HEAD}--y\r\n`),
  nested(part(pair(MOON), NESTED), 'an inner part missing', 'fail', POSITION, `${HEAD}${MOON}`),
  nested(
    part(pair(MOON, inner('c'), inner('d')), NESTED),
    'an inner part too many',
    'fail',
    POSITION,
    `${HEAD}${MOON}${inner('c')}`,
  ),
  nested(
    part(pair(MOON, inner('c')), 'Content-Type: multipart/mixed'),
    'no inner boundary',
    'fail',
    RULE_9,
    `${LIST}--x\r\nContent-Type: multipart/mixed\r\n`,
  ),
  nested(
    part(pair(MOON, inner('c')).replaceAll('--y', '--x'), NESTED.replace('=y', '=x')),
    'one boundary for both',
    'fail',
    RULE_9,
  ),
  nested(
    part(pair(MOON, inner('c', 'Content-Type: text/csv')), NESTED),
    'another type of a text',
    'fail',
    PLAIN,
    `${HEAD}${MOON}--y\r\nContent-Type: `,
  ),
])

const ITEMS = 'OpenAPI 3.2.0, Encoding By Name: one encoded value per array item'
const tag = (content: string, type = '\r\nContent-Type: application/json') =>
  `--x\r\nContent-Disposition: form-data; name="tags"${type}\r\n\r\n${content}\r\n`
const items = (body: string, form_: string, is: Row['is'], at?: Row['at']): Row => ({
  to: 'multipart/json-items',
  form: form_,
  body,
  is,
  ...(at !== undefined && { at }),
  by: ITEMS,
})

describeRule(
  'a list as parts in JSON',
  [
    items(form(tag('"a"'), tag('"b"')), 'a part for each item', 'pass'),
    items(form(tag(' "\\u0061"\n'), tag('"b"')), 'escapes and white space', 'pass'),
    items(form(tag('["a","b"]')), 'one part with the list', 'fail', tag('').slice(0, -2)),
    items(form(tag('a'), tag('b')), 'no quotes', 'fail', tag('').slice(0, -2)),
    items(form(tag('"a"', ''), tag('"b"', '')), 'no types', 'fail'),
    items(form(tag('"b"'), tag('"a"')), 'items in another order', 'fail'),
    { ...items(form(tag('["a","b"]')), 'the list, in the case of 3.1', 'pass'), to: 'multipart/json-array' },
  ],
  undefined,
  { legal: 3, illegal: 4 },
)

const TEXT_NODE = 'XML: where a schema is a text, white space counts'
const CDATA = 'XML: the text of a CDATA section written as a text is non-strict, at its first character'
const NAMES = 'rule 7: names, namespaces, attributes, text'
const xml = (to: string, body: string, form_: string, is: Row['is'], by: string, at?: Row['at']): Row => ({
  to: `xml/${to}`,
  form: form_,
  body,
  is,
  ...(at !== undefined && { at }),
  by,
})
const PLANETS = '<planets><planet id="7">blue</planet><planet id="8">black</planet></planets>'

describeRule('nodes of XML', [
  xml('node-list', PLANETS, 'the usual list', 'pass', NAMES),
  xml('node-list', PLANETS.replaceAll('><', '>\n  <'), 'white space between elements', 'pass', 'rule 7'),
  xml(
    'node-list',
    PLANETS.replace('blue', '<![CDATA[blue]]>'),
    'a section where a text is meant',
    'pass',
    'XML 1.0 2.7',
  ),
  xml(
    'node-list',
    PLANETS.replace('blue', 'blue '),
    'white space in a text',
    'fail',
    TEXT_NODE,
    '<planets><planet id="7">blue',
  ),
  xml(
    'node-list',
    PLANETS.replaceAll(/ id="(.)">(\w+)/g, '><id>$1</id><name>$2</name>'),
    'elements for nodes',
    'fail',
    NAMES,
  ),
  xml('node-list', PLANETS.replaceAll(/<\/?planets>/g, ''), 'no element of the list', 'fail', NAMES),
  xml(
    'node-list',
    '<planets><planet id="8">black</planet><planet id="7">blue</planet></planets>',
    'another order',
    'fail',
    'rule 4: order is free, but not in arrays',
    '<planets><planet id="',
  ),
  xml('node-cdata', '<note><![CDATA[a < b & c]]></note>', 'the usual section', 'pass', NAMES),
  xml('node-cdata', '<note><![CDATA[a < b]]><![CDATA[ & c]]></note>', 'two sections', 'pass', 'XML 1.0 2.7'),
  xml('node-cdata', '<note><!-- a --><![CDATA[a < b & c]]></note>', 'a comment before it', 'pass', NAMES),
  xml('node-cdata', '<note>a &lt; b &amp; c</note>', 'a text for the section', 'non-strict', CDATA, '<note>'),
  xml(
    'node-cdata',
    '<note><![CDATA[a < b]]> &amp; c</note>',
    'a text after a section',
    'non-strict',
    CDATA,
    '<note><![CDATA[a < b]]>',
  ),
  xml(
    'node-cdata',
    '<note> <![CDATA[a < b & c]]></note>',
    'white space beside the section',
    'fail',
    TEXT_NODE,
    '<note>',
  ),
  xml(
    'node-cdata',
    '<note><text><![CDATA[a < b & c]]></text></note>',
    'an element for the section',
    'fail',
    NAMES,
    '<note><',
  ),
  xml(
    'node-reference',
    '<planet><XmlNodeReferenceMoon><name>Io</name></XmlNodeReferenceMoon></planet>',
    'the name of the component',
    'pass',
    NAMES,
  ),
  xml(
    'node-reference',
    '<planet><moon><name>Io</name></moon></planet>',
    'the name of the member',
    'fail',
    NAMES,
    '<planet><',
  ),
  xml(
    'node-reference',
    '<planet><moon><XmlNodeReferenceMoon><name>Io</name></XmlNodeReferenceMoon></moon></planet>',
    'both names',
    'fail',
    NAMES,
    '<planet><',
  ),
])

const HTML = 'events: PUT lists what the HTML standard dispatches'
const MESSAGE = 'events: the name of an unnamed event is absent or message'
const OWN = 'events: with the fields that the own block has'
const put = (to: string, body: string, form_: string, is: Row['is'], by: string, at?: Row['at']): Row => ({
  to: `response/${to}`,
  form: form_,
  body,
  is,
  ...(at !== undefined && { at }),
  by,
})
const [MOON_EVENT, STAR] = ['{"event":"moon","data":"one\\ntwo"}', '{"event":"star","data":" four"}']
const events = (second: string) => `[${MOON_EVENT},${second},${STAR}]`
const BLUE = '{"id":"1","event":"count","retry":1500,"data":{"name":"blue","count":3}}'
const ZERO = '{"id":"2","event":"count","data":{"name":"a\\nb","count":0}}'
const BODIES = (...bodies: readonly string[]) => `{"bodies":[${bodies.join()}]}`
const KNOWN = '{"kind":"moon","diameter":3475}'
const [COMET, CERES] = ['{"kind":"comet","name":"Halley"}', '{"name":"Ceres"}']
const MAPPING = 'defaultMapping: an item or kind lost, changed or added, null for absent: fail'

describeRule('events and other streams', [
  put('events', events('{"data":"three: 3"}'), 'no name', 'pass', MESSAGE),
  put('events', events('{"event":"message","data":"three: 3"}'), 'the name message', 'pass', MESSAGE),
  put('events', events('{"data":"three: 3"}').replaceAll(',', ' ,\n'), 'white space', 'pass', 'rule 6'),
  put(
    'events',
    `\ufeff${events('{"data":"three: 3"}')}`,
    'a byte order mark',
    'non-strict',
    'RFC 8259 8.1: may be ignored',
  ),
  put(
    'events',
    events('{"event":"none","data":"three: 3"}'),
    'the name of another block',
    'fail',
    OWN,
    `[${MOON_EVENT},{"event":"`,
  ),
  put(
    'events',
    events('{"event":null,"data":"three: 3"}'),
    'null for no name',
    'fail',
    MESSAGE,
    `[${MOON_EVENT},{"event":`,
  ),
  put(
    'events',
    events('{"data":"three: 3"},{"event":"none","data":""}'),
    'an item for a block without data',
    'fail',
    HTML,
  ),
  put(
    'events',
    events('{"data":"three: 3"}').replace('\\ntwo', ''),
    'the second line lost',
    'fail',
    HTML,
    '[{"event":"moon","data":"one',
  ),
  put('events', events('{"data":"three: 3"}').replace('" four', '"four'), 'a second space cut', 'fail', HTML),
  put('events-json', `[${BLUE},${ZERO}]`, 'data as what it says', 'pass', 'PUT has data as what it says'),
  put('events-json', `[${BLUE},${ZERO.replace('{', '{"retry":1500,')}]`, 'retry of another block', 'fail', OWN),
  put(
    'events-json',
    `[${BLUE.replace('"1"', '1')},${ZERO}]`,
    'an id as a number',
    'fail',
    'fields MUST be handled as strings',
    '[{"id":',
  ),
  put(
    'events-json',
    `[${BLUE.replace('1500', '"1500"')},${ZERO}]`,
    'retry as a text',
    'fail',
    'field value is modeled as a JSON number',
  ),
  put('jsonl', '[{"text":"a\u2028b"},{"text":"c\\nd"},{"text":""}]', 'lines as a list', 'pass', HTML),
  put('jsonl', '[{"text":"a\\u2028b"},{"text":"c\\nd"}]', 'the last line lost', 'fail', 'Sequential Media Types'),
  put('default-mapping', BODIES(KNOWN, COMET, CERES), 'all bodies', 'pass', MAPPING),
  put(
    'default-mapping',
    BODIES(KNOWN.replace('{', '{"more":1,'), COMET, CERES),
    'an unknown member kept',
    'pass',
    'unknown members may be kept',
  ),
  put('default-mapping', BODIES(KNOWN, COMET), 'an item lost', 'fail', MAPPING, BODIES(KNOWN, COMET).slice(0, -2)),
  put('default-mapping', BODIES(KNOWN, '{"name":"Halley"}', CERES), 'a kind lost', 'fail', MAPPING),
  put(
    'default-mapping',
    BODIES(KNOWN, COMET, '{"kind":"other","name":"Ceres"}'),
    'a kind added',
    'fail',
    MAPPING,
    `{"bodies":[${KNOWN},${COMET},{`,
  ),
  put(
    'default-mapping',
    BODIES(KNOWN, COMET, '{"kind":null,"name":"Ceres"}'),
    'null for no kind',
    'fail',
    MAPPING,
    `{"bodies":[${KNOWN},${COMET},{`,
  ),
  put(
    'default-mapping',
    BODIES(KNOWN.replace('}', ',"name":null}'), COMET, CERES),
    'null for a member of another kind',
    'fail',
    MAPPING,
  ),
])
