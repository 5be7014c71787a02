import { describeRule, type Row } from './rows.ts'

// The rules that came with OpenAPI 3.2: a query that is one value, cookies with `style: cookie`, and `allowReserved` in
// paths.

const FORM = 'querystring: content of a form is a form (rule 3: + is a space)'
const PLUS = 'querystring: all other content is decoded by RFC 3986: + is a plus'
const JSON_RULE = 'querystring: parsed JSON follows rule 6'
const WHOLE = 'OpenAPI 3.2.0, Parameter Object Examples: JSON for the entire string'
const RAW = 'rule 1: raw { } [ ] are non-strict'

const TEXT = '%22text%22%3A%22a%20b%2Bc%22'
const TAGS = '%22tags%22%3A%5B%22x%22%2C%22y%22%5D'
const FLAG = '%22flag%22%3Anull'
const json = (...members: readonly string[]) => `%7B${members.join('%2C')}%7D`

const asForm = (query: string, form: string, is: Row['is'], at?: Row['at'], by = FORM): Row => ({
  to: 'query/querystring-form',
  form,
  query,
  is,
  ...(at !== undefined && { at }),
  by,
})
const asJson = (query: string, form: string, is: Row['is'], by: string, at?: Row['at']): Row => ({
  to: 'query/querystring-json',
  form,
  query,
  is,
  ...(at !== undefined && { at }),
  by,
})

describeRule('a query that is one value', [
  asForm('text=a+b%2Bc%26d&tags=x&tags=y&flag=false', 'the usual form', 'pass'),
  asForm('text=a%20b%2Bc%26d&tags=x&tags=y&flag=false', 'a space as a triple', 'pass'),
  asForm('flag=false&tags=x&text=a+b%2bc%26d&tags=y', 'members in another order', 'pass'),
  asForm('text=a+b%2Bc%26d&tags=x&tags=y&flag=False', 'False with a capital', 'non-strict', undefined, 'rule 5'),
  asForm('text=a+b+c%26d&tags=x&tags=y&flag=false', 'a raw plus for the plus', 'fail', 'text=a+b'),
  asForm('text=a+b%2Bc%26d&tags=x,y&flag=false', 'a comma between items', 'fail', 'text=a+b%2Bc%26d&tags=x'),
  asForm('text=a+b%2Bc%26d&tags=y&tags=x&flag=false', 'items in another order', 'fail', 'text=a+b%2Bc%26d&tags='),
  asForm(`filter=${json(TEXT)}`, 'JSON under the name of the parameter', 'fail', ''),
  asForm(json(TEXT, TAGS, FLAG), 'JSON', 'fail', ''),
  asForm('', 'no query', 'fail', 0),
  asJson(json(TEXT, TAGS, FLAG), 'the usual JSON', 'pass', JSON_RULE),
  asJson(json(TEXT, TAGS, FLAG).replace('%2Bc', '+c'), 'a raw plus', 'pass', PLUS),
  asJson(json(FLAG, TAGS, TEXT).toLowerCase(), 'members in another order, small hex digits', 'pass', JSON_RULE),
  asJson(`%20${json(TEXT, TAGS, FLAG)}%0A`, 'white space around JSON', 'pass', JSON_RULE),
  asJson(json(TEXT, TAGS, FLAG).replaceAll('%7B', '{'), 'a raw brace', 'non-strict', RAW, ''),
  asJson(json(TEXT, TAGS, FLAG).replace('%5B', '['), 'a raw bracket', 'non-strict', RAW, `%7B${TEXT}%2C%22tags%22%3A`),
  asJson(json(TEXT, TAGS, FLAG).replace('a%20b', 'a+b'), 'a plus for the space', 'fail', PLUS, '%7B%22text%22%3A%22a'),
  asJson(`filter=${json(TEXT, TAGS, FLAG)}`, 'JSON after the name', 'fail', WHOLE, ''),
  asJson('text=a%20b%2Bc&tags=x&tags=y&flag=', 'a form instead of JSON', 'fail', WHOLE, ''),
  asJson(json(TEXT, TAGS), 'the member that is null left out', 'fail', 'rule 6: absent is not null'),
  asJson('', 'no JSON', 'fail', WHOLE, 0),
  {
    to: 'query/form-string',
    form: 'a query of another case, with JSON',
    query: json(TEXT),
    is: 'fail',
    by: 'rule 4: other names are a difference',
  },
])

const COOKIE = 'style: cookie: characters as they are, nothing is decoded, quotes are part of the value'
const LIST = 'cookies of one name are a list, in their order'
const ONCE = 'style: form: one value is percent-decoded once'
const OCTETS = 'RFC 6265 4.1.1: cookie-octet has no space and no comma'
const BETWEEN = 'rule 10: a ; alone is non-strict'

const cookie = (to: string, sent: string, form: string, is: Row['is'], by: string, at?: Row['at']): Row => ({
  to: `cookie/${to}`,
  form,
  headers: { Cookie: sent },
  is,
  ...(at !== undefined && { at }),
  by,
})

describeRule('cookies', [
  cookie('raw', 'color=a%2Cb/+8==', 'the value as it is', 'pass', COOKIE),
  cookie('raw', 'a=1; color=a%2Cb/+8==; b="2"', 'cookies of others around it', 'pass', 'only those of the case count'),
  cookie('raw', 'a=1;color=a%2Cb/+8==', 'a semicolon without a space', 'non-strict', BETWEEN),
  cookie('raw', 'color=a%252Cb/+8==', 'its percent sign encoded', 'fail', COOKIE, 'color=a%2'),
  cookie('raw', 'color=a%2Cb%2F+8==', 'its slash encoded', 'fail', COOKIE, 'color=a%2Cb'),
  cookie('raw', 'color=a%2Cb/+8%3D%3D', 'its equals signs encoded', 'fail', COOKIE, 'color=a%2Cb/+8'),
  cookie('raw', 'color=a%2cb/+8==', 'its triple in small letters', 'fail', COOKIE, 'color=a%2'),
  cookie('raw', 'color=a,b/+8==', 'its triple decoded', 'fail', COOKIE, 'color=a'),
  cookie('raw', 'color="a%2Cb/+8=="', 'in quotes', 'fail', COOKIE, 'color='),
  cookie('raw-array', 'color=blue; color=black; color=brown', 'several cookies', 'pass', LIST),
  cookie('raw-array', 'color=blue; x=1; color=black; color=brown', 'another cookie between them', 'pass', LIST),
  cookie('raw-array', 'color=blue;color=black; color=brown', 'one semicolon without a space', 'non-strict', BETWEEN),
  cookie('raw-array', 'color=blue&color=black&color=brown', 'ampersands', 'fail', LIST, 'color=blue'),
  cookie('raw-array', 'color=blue,black,brown', 'commas', 'fail', LIST, 'color=blue'),
  cookie('raw-array', 'color=black; color=blue; color=brown', 'another order', 'fail', LIST, 'color=bl'),
  cookie('raw-array', 'color=blue; color=black', 'one of them missing', 'fail', LIST),
  cookie('raw-array-unexploded', 'color=blue,black,brown', 'one cookie with commas', 'pass', 'Style Examples'),
  cookie('raw-array-unexploded', 'color=blue%2Cblack%2Cbrown', 'encoded commas', 'fail', COOKIE, 'color=blue'),
  cookie('raw-array-unexploded', 'color=blue; color=black; color=brown', 'three cookies', 'fail', LIST),
  cookie('raw-array-unexploded', 'color="blue,black,brown"', 'quotes around the list', 'fail', COOKIE, 'color='),
  cookie('percent-encoded', 'color=a%20b%3Bc%2Cd', 'the usual triples', 'pass', ONCE),
  cookie('percent-encoded', 'color=%61%20b%3bc%2cd', 'a letter encoded, small hex digits', 'pass', 'rule 11'),
  cookie('percent-encoded', 'color=a b%3Bc%2Cd', 'a raw space', 'non-strict', OCTETS, 'color=a'),
  cookie('percent-encoded', 'color=a%20b%3Bc,d', 'a raw comma', 'non-strict', OCTETS, 'color=a%20b%3Bc'),
  cookie('percent-encoded', 'color=a+b%3Bc%2Cd', 'a plus for the space', 'fail', ONCE, 'color=a'),
  cookie('percent-encoded', 'color=a%20b;c%2Cd', 'a raw semicolon', 'fail', 'rule 10: cookies are separated by ;'),
  cookie('percent-encoded', 'color="a%20b%3Bc%2Cd"', 'quotes around triples', 'fail', ONCE, 'color='),
  cookie('percent-encoded', 'color=a%2520b%253Bc%252Cd', 'encoded twice', 'fail', ONCE, 'color=a'),
])

const TRIPLE = 'allowReserved: a triple in the value is one triple on the wire'
const RESERVED = 'rule 3 in paths too: an encoded reserved character is non-strict'

const path = (sent: string, form: string, is: Row['is'], by: string, at?: Row['at']): Row => ({
  to: 'path/allow-reserved',
  form,
  path: sent,
  is,
  ...(at !== undefined && { at }),
  by,
})

describeRule('allowReserved in a path', [
  path('a%2Fb:c@d;e', 'as it is', 'pass', TRIPLE),
  path('a%2fb:c@d;e', 'a triple with a small digit', 'pass', 'rule 11: hex case'),
  path('%61%2Fb:c@d;e', 'a letter encoded', 'pass', 'rule 11: encoded unreserved characters'),
  path('//a%2Fb:c@d;e', 'two slashes before it', 'pass', 'rule 11: doubled slashes'),
  path('a%2Fb%3Ac@d;e', 'an encoded colon', 'non-strict', RESERVED, 'a%2Fb'),
  path('a%2Fb:c%40d;e', 'an encoded at sign', 'non-strict', RESERVED, 'a%2Fb:c'),
  path('a%2Fb:c@d%3Be', 'an encoded semicolon', 'non-strict', RESERVED, 'a%2Fb:c@d'),
  path('a%252Fb:c@d;e', 'the triple encoded again', 'fail', TRIPLE, 'a'),
  path('a%252fb:c@d;e', 'the triple encoded again, with a small digit', 'fail', TRIPLE, 'a'),
  path('a%25%32%46b:c@d;e', 'each character of the triple encoded', 'fail', TRIPLE, 'a'),
  path('a/b:c@d;e', 'a raw slash', 'fail', TRIPLE, 'a'),
  path('a%5Cb:c@d;e', 'another triple', 'fail', TRIPLE, 'a'),
  path('ab:c@d;e', 'no triple', 'fail', TRIPLE, 'a'),
  path('a%2Fb:c@d', 'cut at a semicolon', 'fail', TRIPLE),
  path('a%2Fb:c@d;e/', 'a slash at the end', 'fail', 'rule 4: a slash at the end is another resource'),
])
