import type { PartName } from '../case.ts'
import { type CaseRules, type Rule, ruleOfPart } from '../rule.ts'
import { type Case, oas, rfc } from './declare.ts'
import {
  ARRAY,
  ENCODED_ITEMS,
  ENCODING_FIELDS,
  FORMATS,
  FORMS,
  jsonSchema,
  OF_SECTIONS,
  OTHER_MEMBERS,
  ours,
  PARAMETER_FIELDS,
  PARTS,
  quote,
  REQUEST_BODY,
  row,
  SCHEMA_FIELDS,
  SIGNS,
  validation,
} from './section-rules.ts'

// What decides each case, and the parts of a request that a case is not about.

const STYLE_EXAMPLES = oas('style-examples')
const CONVERSION = oas('appendix-b-data-type-conversion')

const example = (style: string, explode: boolean, type: 'string' | 'array' | 'object', cell: string) =>
  row(STYLE_EXAMPLES, { style, explode, [type]: cell })

const UTF8 = quote(
  rfc(3986, '2.5'),
  '… the data should first be encoded as octets according to the UTF-8 character encoding [STD63]; then only those octets that do not correspond to characters in the unreserved set should be percent-encoded.',
)
const FULL_DATE = quote(rfc(3339, '5.6'), '`full-date = date-fullyear "-" date-month "-" date-mday`')
const SAME_NAME = quote(
  PARTS,
  'Array properties are handled by applying the same `name` to multiple parts, as is recommended by RFC7578 for supplying multiple values per form field.',
)
const NOT_NULL = ours(rfc(8259, '4'), 'a member without a value is left out, because null is a value.')
const ENUM = quote(
  validation('6.1.2'),
  "An instance validates successfully against this keyword if its value is equal to one of the elements in this keyword's array value.",
)
const REFERENCE = quote(
  jsonSchema('8.2.3.1'),
  'The "$ref" keyword is an applicator that is used to reference a statically identified schema. Its results are the results of the referenced schema.',
)

/** Registry: the rules of cases that the rule of their section does not decide. */
export const OF_CASES: Readonly<Record<string, Rule>> = {
  'path/simple-string': example('simple', false, 'string', 'blue'),
  'path/simple-array': example('simple', false, 'array', 'blue,black,brown'),
  'path/simple-array-explode': example('simple', true, 'array', 'blue,black,brown'),
  'path/simple-object': example('simple', false, 'object', 'R,100,G,200,B,150'),
  'path/simple-object-explode': example('simple', true, 'object', 'R=100,G=200,B=150'),
  'path/label-string': example('label', false, 'string', '.blue'),
  'path/label-array': example('label', false, 'array', '.blue,black,brown'),
  'path/label-array-explode': example('label', true, 'array', '.blue.black.brown'),
  'path/label-object': example('label', false, 'object', '.R,100,G,200,B,150'),
  'path/label-object-explode': example('label', true, 'object', '.R=100.G=200.B=150'),
  'path/matrix-string': example('matrix', false, 'string', ';color=blue'),
  'path/matrix-array': example('matrix', false, 'array', ';color=blue,black,brown'),
  'path/matrix-array-explode': example('matrix', true, 'array', ';color=blue;color=black;color=brown'),
  'path/matrix-object': example('matrix', false, 'object', ';color=R,100,G,200,B,150'),
  'path/matrix-object-explode': example('matrix', true, 'object', ';R=100;G=200;B=150'),
  'path/reserved': quote(
    oas('path-templating'),
    'The value for these path parameters MUST NOT contain any unescaped "generic syntax" characters described by RFC3986: forward slashes (`/`), question marks (`?`), or hashes (`#`).',
  ),
  'path/utf8': UTF8,
  'path/date': FULL_DATE,
  'path/embedded': quote(
    oas('path-templating'),
    'Path templating refers to the usage of template expressions, delimited by curly braces (`{}`), to mark a section of a URL path as replaceable using path parameters.',
  ),

  'query/form-string': example('form', true, 'string', 'color=blue'),
  'query/form-array-explode': example('form', true, 'array', 'color=blue&color=black&color=brown'),
  'query/form-array': example('form', false, 'array', 'color=blue,black,brown'),
  'query/form-object-explode': example('form', true, 'object', 'R=100&G=200&B=150'),
  'query/form-object': example('form', false, 'object', 'color=R,100,G,200,B,150'),
  'query/space-array': example('spaceDelimited', false, 'array', 'color=blue%20black%20brown'),
  'query/space-object': example('spaceDelimited', false, 'object', 'color=R%20100%20G%20200%20B%20150'),
  'query/pipe-array': example('pipeDelimited', false, 'array', 'color=blue%7Cblack%7Cbrown'),
  'query/pipe-object': example('pipeDelimited', false, 'object', 'color=R%7C100%7CG%7C200%7CB%7C150'),
  'query/deep-object': example('deepObject', true, 'object', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'),
  'query/falsy': quote(STYLE_EXAMPLES, '… notably, the empty string is not undefined.'),
  'query/omitted': quote(
    rfc(6570, '3.2.1'),
    'A variable that is undefined (Section 2.3) has no value and is ignored by the expansion process.',
  ),
  'query/boolean-array': ours(CONVERSION, 'a boolean is written as JSON writes it: `true` or `false`.'),
  'query/single-item': quote(
    SCHEMA_FIELDS,
    'When this is true, parameter values of type `array` or `object` generate separate parameters for each value of the array or key-value pair of the map.',
  ),
  'query/reserved': SIGNS,
  'query/utf8': UTF8,
  'query/date': FULL_DATE,
  'query/number': ours(FORMATS, 'of the format `double`, each notation is right that is read as the same double.'),
  'query/allow-reserved': quote(
    SCHEMA_FIELDS,
    "When this is true, parameter values are serialized using reserved expansion, as defined by RFC6570, which allows RFC3986's reserved character set … to pass through unchanged …",
  ),
  'query/reserved-words': quote(
    PARAMETER_FIELDS,
    'For all other cases, the `name` corresponds to the parameter name used by the `in` field.',
  ),
  'query/empty-array': quote(
    rfc(6570, '2.3'),
    'A variable defined as a list value is considered undefined if the list contains zero members.',
  ),
  'query/null': quote(
    CONVERSION,
    'RFC6570 specifies which values, including but not limited to `null`, are considered undefined and therefore treated specially in the expansion process …',
  ),
  'query/default': quote(
    oas('server-variable-object'),
    "Note that this behavior is different from the Schema Object's `default` keyword, which documents the receiver's behavior rather than inserting the value into the data.",
  ),

  'header/string': example('simple', false, 'string', 'blue'),
  'header/array': example('simple', false, 'array', 'blue,black,brown'),
  'header/object': example('simple', false, 'object', 'R,100,G,200,B,150'),
  'header/object-explode': example('simple', true, 'object', 'R=100,G=200,B=150'),
  'header/integer': ours(STYLE_EXAMPLES, 'zero is a value, and not undefined, so the header is sent with it.'),
  'header/ignored': quote(
    PARAMETER_FIELDS,
    'If `in` is `"header"` and the `name` field is `"Accept"`, `"Content-Type"` or `"Authorization"`, the parameter definition SHALL be ignored.',
  ),
  'header/utf8': quote(
    oas('appendix-d-serializing-headers-and-cookies'),
    'HTTP headers have inconsistent rules regarding what characters are allowed, and how some or all disallowed characters can be escaped and included.',
  ),

  'cookie/string': example('form', true, 'string', 'color=blue'),
  'cookie/array': quote(
    oas('percent-encoding-and-cookies'),
    'For multiple values, `style: "form"` is always incorrect, … as name=value pairs in cookies are delimited by a semicolon followed by a space character rather than `&`.',
  ),

  'form/array': ENCODED_ITEMS,
  'form/falsy': ours(FORMS, 'false, zero and the empty text are values, so each has its pair.'),
  'form/omitted': ours(FORMS, 'a member without a value has no pair.'),
  'form/null': quote(
    CONVERSION,
    'Serializing typed data to plain text, which can occur in … the `application/x-www-form-urlencoded` format …, involves significant implementation- or application-defined behavior.',
  ),

  'multipart/file': quote(
    rfc(7578, '4.2'),
    'For form data that represents the content of a file, a name for the file SHOULD be supplied as well, by using a "filename" parameter of the Content-Disposition header field.',
  ),
  'multipart/array': SAME_NAME,
  'multipart/json-array': SAME_NAME,
  'multipart/file-type': quote(ENCODING_FIELDS, 'The `Content-Type` for encoding a specific property.'),
  'multipart/file-and-json': quote(
    PARTS,
    'This supports complex structures as well as supporting mechanisms for multiple file uploads.',
  ),
  'multipart/part-header': quote(ENCODING_FIELDS, 'A map allowing additional information to be provided as headers.'),
  'multipart/omitted': ours(PARTS, 'a member without a value has no part.'),
  'multipart/empty-file': ours(
    oas('considerations-for-file-uploads'),
    'a file without bytes is a value, so it has its part.',
  ),
  'multipart/falsy': ours(PARTS, 'false, zero and the empty text are values, so each has its part.'),

  'body/absent': NOT_NULL,
  'body/empty': ARRAY,
  'body/int32': row(FORMATS, { format: 'int32', Comments: 'signed 32 bits' }),
  'body/double': quote(
    rfc(8259, '6'),
    '… good interoperability can be achieved by implementations that expect no more precision or range than these provide, in the sense that implementations will approximate JSON numbers within the expected precision.',
  ),
  'body/date': FULL_DATE,
  'body/enum': ENUM,
  'body/const': quote(
    validation('6.1.3'),
    'An instance validates successfully against this keyword if its value is equal to the value of the keyword.',
  ),
  'body/one-of': quote(
    jsonSchema('10.2.1.3'),
    "An instance validates successfully against this keyword if it validates successfully against exactly one schema defined by this keyword's value.",
  ),
  'body/any-of': quote(
    jsonSchema('10.2.1.2'),
    "An instance validates successfully against this keyword if it validates successfully against at least one schema defined by this keyword's value.",
  ),
  'body/open-object': OTHER_MEMBERS,
  'body/write-only': quote(
    validation('9.4'),
    'It can be present when sent to the owning authority to update or create the document (or the resource it represents), but it will not be included in any updated or newly created version …',
  ),
  'body/names': quote(rfc(8259, '4'), 'A name is a string.'),
  'body/similar-names': quote(
    rfc(8259, '4'),
    'An object whose names are all unique is interoperable in the sense that all software implementations receiving that object will agree on the name-value mappings.',
  ),
  'body/recursive': REFERENCE,
  'body/tuple': quote(
    jsonSchema('10.3.1.1'),
    'Validation succeeds if each element of the instance validates against the schema at the same position, if any.',
  ),
  'body/text': quote(
    oas('example-url-encoded-form-with-json-values'),
    '… treated as `text/plain` … and is serialized as-is. If it were treated as `application/json`, then the serialized value would be a JSON string including quotation marks …',
  ),
  'body/vendor-json': quote(
    REQUEST_BODY,
    'The content of the request body. The key is a media type or media type range and the value describes it.',
  ),
  'body/two-types': quote(
    REQUEST_BODY,
    'The content of the request body. The key is a media type or media type range and the value describes it.',
  ),

  'xml/namespace': quote(oas('xml-object'), 'The URI of the namespace definition.'),

  'response/date': FULL_DATE,
  'response/unknown-member': OTHER_MEMBERS,
  'response/absent': NOT_NULL,
  'response/empty': ARRAY,
  'response/read-only': quote(
    validation('9.4'),
    'If "readOnly" has a value of boolean true, it indicates that the value of the instance is managed exclusively by the owning authority …',
  ),
  'response/write-only': quote(
    validation('9.4'),
    'If "writeOnly" has a value of boolean true, it indicates that the value is never present when the instance is retrieved from the owning authority.',
  ),
  'response/recursive': REFERENCE,
  'response/text': quote(
    rfc(9110, '8.3.2'),
    'HTTP uses "charset" names to indicate or negotiate the character encoding scheme ([RFC6365], Section 2) of a textual representation.',
  ),
  'response/vendor-json': quote(
    oas('response-object'),
    'A map containing descriptions of potential response payloads. The key is a media type or media type range and the value describes it.',
  ),
  'response/default': quote(
    oas('responses-object'),
    'The `default` MAY be used as a default Response Object for all HTTP codes that are not covered individually by the Responses Object.',
  ),
  'response/range': quote(
    oas('responses-object'),
    'To define a range of response codes, this field MAY contain the uppercase wildcard character `X`. For example, `2XX` represents all response codes between `200` and `299`.',
  ),
  'response/unknown-enum': ENUM,
  'response/unknown-kind': quote(
    oas('discriminator-object'),
    'If the discriminating value does not match an implicit or explicit mapping, no schema can be determined and validation SHOULD fail.',
  ),

  'retry/after-date': quote(
    rfc(9110, '10.2.3'),
    'The Retry-After field value can be either an HTTP-date or a number of seconds to delay after receiving the response.',
  ),
}

// Rules of parts that few cases are about

const CONTENT_TYPE = quote(
  rfc(9110, '8.3'),
  'The "Content-Type" header field indicates the media type of the associated representation …',
)
const CONTENT_ENCODING = quote(
  rfc(9110, '8.4'),
  'The "Content-Encoding" header field indicates what content codings have been applied to the representation, beyond those inherent in the media type …',
)
const PATH = quote(
  oas('paths-object'),
  'The path is appended to the URL from the Server Object in order to construct the full URL.',
)
const QUERY = quote(oas('operation-object'), 'A list of parameters that are applicable for this operation.')
const CONTENT_OF_GET = quote(
  rfc(9110, '9.3.1'),
  'A client SHOULD NOT generate content in a GET request unless it is made directly to an origin server that has previously indicated, in or out of band, that such a request has a purpose …',
)

/** @throws Error if nothing says what decides the case */
export function rulesOf(spec: Case): CaseRules<Rule> {
  const { id, group, specification, sentence, parameters = [], body, answer, redirect } = spec
  const own = sentence !== undefined ? quote(specification, sentence) : (OF_CASES[id] ?? OF_SECTIONS[specification])
  if (!own) throw new Error(`nothing decides ${id}: no rule of ${specification}`)
  const has = (place: string) => parameters.some((parameter) => parameter.in === place)
  const others: Partial<Record<PartName, Rule>> = {
    ...(body && { 'header content-type': CONTENT_TYPE }),
    ...(group !== 'response' && { 'header content-encoding': CONTENT_ENCODING }),
    // Where a redirect leads is what its case is about.
    ...(!redirect && !has('path') && { path: PATH }),
    ...(!redirect && !has('query') && !has('querystring') && { query: QUERY }),
    ...(!body && !answer && { body: CONTENT_OF_GET }),
  }
  return { own, others }
}

/** The rule that decides a verdict on a part of a request to a case. */
export function ruleOf(spec: Case, part: PartName | null | undefined): Rule {
  return ruleOfPart(rulesOf(spec), part)
}
