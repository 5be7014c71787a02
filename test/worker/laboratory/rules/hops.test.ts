import { describeRule } from './rows.ts'
import { sendRow } from './send-row.ts'

// Rule 11.

const HOP = 'rule 11: never judged'

describeRule(
  'rule 11: what a hop may change is never judged',
  [
    {
      to: 'path/utf8',
      form: 'hex digits in lower case',
      path: 'gr%c3%b6%c3%9fe%20%e7%81%ab%e6%98%9f%20%f0%9f%aa%90',
      is: 'pass',
      by: `${HOP}: hex case`,
    },
    {
      to: 'query/form-string',
      form: 'encoded letters of a name and a value',
      query: '%63olor=%62l%75%65',
      is: 'pass',
      by: `${HOP}: encoded unreserved characters`,
    },
    {
      to: 'path/unreserved',
      form: 'encoded marks',
      path: 'a%2Eb%2Dc%5Fd%7Ee',
      is: 'pass',
      by: `${HOP}: encoded unreserved characters`,
    },
    {
      to: 'path/label-array-explode',
      form: 'encoded dots of label',
      path: '%2Eblue%2eblack.brown',
      is: 'pass',
      by: `${HOP}: encoded unreserved characters`,
    },
    { to: 'path/two', form: 'dot segments', path: '/./black/y/../x/./blue', is: 'pass', by: `${HOP}: dot segments` },
    {
      to: 'path/two',
      form: 'encoded dot segments',
      path: '/%2e/black/y/%2E%2e/x/blue',
      is: 'pass',
      by: `${HOP}: dot segments, encoded unreserved characters`,
    },
    { to: 'path/two', form: 'doubled slashes', path: '//black///x//blue', is: 'pass', by: `${HOP}: doubled slashes` },
    { to: 'path/two', form: 'backslashes', path: '/black\\x\\blue', is: 'pass', by: `${HOP}: \\` },
    {
      to: 'path/utf8',
      form: 'raw letters and spaces in a path',
      path: 'größe 火星 🪐',
      is: 'pass',
      by: `${HOP}: space, non-ASCII`,
    },
    {
      to: 'query/utf8',
      form: 'raw letters and spaces in a query',
      query: 'value=größe 火星 🪐',
      is: 'pass',
      by: `${HOP}: space, non-ASCII`,
    },
    {
      to: 'query/content-json',
      form: 'raw quotes in a query',
      query: 'filter=%7B"R":100,"G":%5B1,2%5D%7D',
      is: 'pass',
      by: `${HOP}: "`,
    },
    {
      to: 'query/names',
      form: 'raw letters of a name',
      query: 'filter%5Bname%5D=a&$top=1&a.b=c&größe=d',
      is: 'pass',
      by: `${HOP}: non-ASCII`,
    },
    {
      to: 'header/array',
      form: 'a name of a header in capitals',
      headers: { 'X-COLOR': 'blue,black,brown' },
      is: 'pass',
      by: `${HOP}: case of header names`,
    },
    {
      to: 'query/form-string',
      form: 'Accept-Encoding and Connection',
      query: 'color=blue',
      headers: { 'Accept-Encoding': 'br', Connection: 'close', Via: '1.1 hop' },
      is: 'pass',
      by: `${HOP}: Accept-Encoding, Connection`,
    },
    {
      to: 'body/object',
      form: 'chunks in place of a length',
      headers: { 'Transfer-Encoding': 'chunked' },
      body: '{"name":"blue","count":3,"flag":true}',
      is: 'pass',
      by: `${HOP}: length against chunks`,
    },
  ],
  // The runtime takes dot segments and backslashes from a URL before the judge sees it.
  sendRow,
  { legal: 12, illegal: 0 },
)
