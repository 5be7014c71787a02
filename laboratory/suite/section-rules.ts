import type { Rule } from '../rule.ts'
import { oas, rfc } from './declare.ts'

// The words of specifications that decide cases, by the section that a case names. They are quoted without links and
// emphases.

export const quote = (url: string, text: string): Rule => ({ url, text, kind: 'quote' })
export const ours = (url: string, text: string): Rule => ({ url, text, kind: 'ours' })

/** Cells of a row, by the heads of their columns. */
export function row(url: string, cells: Readonly<Record<string, string | boolean>>): Rule {
  const text = Object.entries(cells).map(([head, cell]) => `${head} \`${cell}\``)
  return { url, text: text.join(', '), kind: 'row' }
}

// Sections that OpenAPI 3.1.2 refers to

export const jsonSchema = (section: string) =>
  `https://datatracker.ietf.org/doc/html/draft-bhutton-json-schema-00#section-${section}`
export const validation = (section: string) =>
  `https://datatracker.ietf.org/doc/html/draft-bhutton-json-schema-validation-00#section-${section}`

// Sections of OpenAPI

export const PARAMETER_FIELDS = oas('common-fixed-fields')
export const SCHEMA_FIELDS = oas('fixed-fields-for-use-with-schema')
export const ENCODING_FIELDS = oas('common-fixed-fields-0')
export const FORMATS = oas('data-type-format')
export const FORMS = oas('encoding-the-x-www-form-urlencoded-media-type')
export const PARTS = oas('encoding-multipart-media-types')
export const REQUEST_BODY = oas('request-body-object')
const XML = oas('xml-object')

// Rules that are used outside their section too

export const SIGNS = quote(
  oas('percent-encoding-and-form-urlencoded'),
  '… `=` and `&` as delimiters, and `+` as the replacement for the space character … they must be percent-encoded in `form-urlencoded` query strings except when used for their `form-urlencoded` purposes …',
)
export const ENCODED_ITEMS = quote(
  'https://spec.openapis.org/oas/v3.2.0.html#encoding-by-name',
  '… MUST be handled by applying the given Encoding Object to produce one encoded value per array item, each with the same `name` …',
)
const COMMAS = quote(
  oas('url-percent-encoding'),
  'Reserved characters MUST NOT be percent-encoded when being used for reserved purposes such as … `,` for delimiting …',
)
export const ARRAY = quote(
  rfc(8259, '5'),
  'An array structure is represented as square brackets surrounding zero or more values (or elements).',
)
export const OTHER_MEMBERS = quote(
  jsonSchema('10.3.2.3'),
  '… validation succeeds if the child instance validates against the "additionalProperties" schema. … Omitting this keyword has the same assertion behavior as an empty schema.',
)
const ATTRIBUTE = quote(
  XML,
  'Declares whether the property definition translates to an attribute instead of an element.',
)

const IN_THEIR_SECTION: readonly Rule[] = [
  SIGNS,
  ENCODED_ITEMS,
  COMMAS,
  ARRAY,
  ATTRIBUTE,
  quote(rfc(3339, '5.6'), '`date-time = full-date "T" full-time`'),
  quote(PARAMETER_FIELDS, 'Determines whether this parameter is mandatory. … its default value is `false`.'),
  row(ENCODING_FIELDS, { type: 'object', 'Default contentType': 'application/json' }),
  row(FORMATS, { format: 'int64', Comments: 'signed 64 bits (a.k.a long)' }),
  quote(
    FORMS,
    'This configuration means that the request body MUST be encoded per RFC1866 when passed to the server, after any complex objects have been serialized to a string representation.',
  ),
  quote(
    PARTS,
    'The `form-data` disposition and its `name` parameter are mandatory for `multipart/form-data` (RFC7578).',
  ),
  quote(REQUEST_BODY, 'Determines if the request body is required in the request. Defaults to `false`.'),
  quote(
    oas('path-templating'),
    "Each template expression in the path MUST correspond to a path parameter that is included in the Path Item itself and/or in each of the Path Item's Operations.",
  ),
  quote(
    oas('decoding-uris-and-form-urlencoded-strings'),
    '… care must be taken to use `form-urlencoded` decoding if `+` represents a space, and to use regular percent-decoding if `+` represents itself as a literal value.',
  ),
  quote(oas('parameter-object'), 'A unique parameter is defined by a combination of a name and location.'),
  quote(
    oas('fixed-fields-for-use-with-content'),
    'A map containing the representations for the parameter. The key is the media type and the value describes it.',
  ),
  quote(
    oas('style-values'),
    'Allows objects with scalar properties to be represented using form parameters. The representation of array or object properties is not defined.',
  ),
  quote(
    oas('percent-encoding-and-cookies'),
    'RFC6570\'s percent-encoding behavior is not always appropriate for `in: "cookie"` parameters.',
  ),
  quote(
    oas('fixed-fields-for-rfc6570-style-serialization'),
    'Describes how a specific property value will be serialized depending on its type. … The behavior follows the same values as `query` parameters …',
  ),
  quote(
    oas('example-multipart-form-with-multiple-files'),
    "In accordance with RFC7578, multiple files for a single form field are uploaded using the same name (`file` in this example) for each file's part",
  ),
  quote(
    oas('working-with-binary-data'),
    'raw binary is used where unencoded binary data is allowed, such as when sending a binary payload as the entire HTTP message body …',
  ),
  quote(
    oas('data-types'),
    'This means that both `1` and `1.0` are equivalent, and are both considered to be integers.',
  ),
  quote(
    oas('discriminator-object'),
    'The `mapping` entry maps a specific property value to either a different schema component name, or to a schema identified by a URI.',
  ),
  quote(
    oas('composition-and-inheritance-polymorphism'),
    '`allOf` takes an array of object definitions that are validated independently but together compose a single object.',
  ),
  quote(
    oas('validating-readonly-and-writeonly'),
    '… a resource (described as the "owning authority") MAY either ignore a `readOnly` field or treat it as an error.',
  ),
  quote(oas('responses-object'), 'The container maps a HTTP response code to the expected response.'),
  quote(
    oas('header-object'),
    'Describes how the header value will be serialized. The default (and only legal value for headers) is `"simple"`.',
  ),
  quote('https://www.rfc-editor.org/rfc/rfc3339.html#appendix-A', '`duration = "P" (dur-date / dur-time / dur-week)`'),
  quote(
    rfc(3986, '2.3'),
    '… percent-encoded octets in the ranges of ALPHA …, DIGIT …, hyphen (%2D), period (%2E), underscore (%5F), or tilde (%7E) should not be created by URI producers …',
  ),
  quote(rfc(4648, '4'), "Padding at the end of the data is performed using the '=' character."),
  quote(
    rfc(4648, '5'),
    'This encoding is technically identical to the previous one, except for the 62:nd and 63:rd alphabet character, as indicated in Table 2.',
  ),
  quote(rfc(6265, '4.2.1'), '`cookie-string = cookie-pair *( ";" SP cookie-pair )`'),
  quote(
    rfc(6585, '4'),
    'The response representations … MAY include a Retry-After header indicating how long to wait before making a new request.',
  ),
  quote(
    rfc(7578, '4.2'),
    '… file names normally visible to users MAY be encoded using the percent-encoding method in Section 2 …',
  ),
  quote(
    rfc(8259, '2'),
    'A JSON text is a serialized value. Note that certain previous specifications of JSON constrained a JSON text to be an object or an array.',
  ),
  quote(
    rfc(8259, '3'),
    'A JSON value MUST be an object, array, number, or string, or one of the following three literal names: false null true',
  ),
  quote(
    rfc(8259, '4'),
    'An object structure is represented as a pair of curly brackets surrounding zero or more name/value pairs (or members).',
  ),
  quote(
    rfc(8259, '6'),
    'It contains an integer component that may be prefixed with an optional minus sign, which may be followed by a fraction part and/or an exponent part.',
  ),
  quote(
    rfc(8259, '7'),
    'All Unicode characters may be placed within the quotation marks, except for the characters that MUST be escaped: quotation mark, reverse solidus, and the control characters (U+0000 through U+001F).',
  ),
  quote(
    rfc(8259, '8.1'),
    '… implementations that parse JSON texts MAY ignore the presence of a byte order mark rather than treating it as an error.',
  ),
  quote(
    rfc(9110, '9.2.2'),
    'A client SHOULD NOT automatically retry a request with a non-idempotent method unless it has some means to know that the request semantics are actually idempotent, regardless of the method …',
  ),
  quote(
    rfc(9110, '10.2.2'),
    'When it has the form of a relative reference ([URI], Section 4.2), the final value is computed by resolving it against the target URI ([URI], Section 5).',
  ),
  quote(
    rfc(9110, '10.2.3'),
    'Servers send the "Retry-After" header field to indicate how long the user agent ought to wait before making a follow-up request.',
  ),
  quote(
    rfc(9110, '12.5.1'),
    'The "Accept" header field can be used by user agents to specify their preferences regarding response media types.',
  ),
  quote(
    rfc(9110, '15.3.5'),
    'The 204 (No Content) status code indicates that the server has successfully fulfilled the request and that there is no additional content to send in the response content.',
  ),
  quote(
    rfc(9110, '15.4.2'),
    'The 301 (Moved Permanently) status code indicates that the target resource has been assigned a new permanent URI and any future references to this resource ought to use one of the enclosed URIs.',
  ),
  quote(
    rfc(9110, '15.4.4'),
    'A user agent can perform a retrieval request targeting that URI (a GET or HEAD request if using HTTP), … and present the eventual result as an answer to the original request.',
  ),
  quote(
    rfc(9110, '15.4.8'),
    '… the user agent MUST NOT change the request method if it performs an automatic redirection to that URI.',
  ),
  quote(
    rfc(9110, '15.5.1'),
    'The 400 (Bad Request) status code indicates that the server cannot or will not process the request due to something that is perceived to be a client error …',
  ),
  quote(
    rfc(9457, '3'),
    'When serialized in a JSON document, that format is identified with the "application/problem+json" media type.',
  ),
  quote(
    'https://www.w3.org/TR/xml/#syntax',
    'The ampersand character (&) and the left angle bracket (<) MUST NOT appear in their literal form, except when used as markup delimiters …',
  ),
]

/** Registry: rules by the section that a case names. */
export const OF_SECTIONS: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(IN_THEIR_SECTION.map((rule) => [rule.url, rule])),
  // Sections that do not say it themselves
  [oas('appendix-d-serializing-headers-and-cookies')]: quote(
    SCHEMA_FIELDS,
    'When serializing `in: "header"` parameters with `schema`, URI percent-encoding MUST NOT be applied …',
  ),
  [oas('illegal-variable-names-as-parameter-names')]: quote(
    oas('non-rfc6570-field-values-and-combinations'),
    'A parameter name that includes characters outside of the allowed RFC6570 variable character set MUST be percent-encoded before it can be used in a URI Template.',
  ),
  [oas('model-with-map-dictionary-properties')]: OTHER_MEMBERS,
  [oas('xml-attribute-prefix-and-namespace')]: ATTRIBUTE,
  [oas('xml-arrays')]: quote(
    XML,
    'Signifies whether the array is wrapped (for example, `<books><book/><book/></books>`) or unwrapped (`<book/><book/>`). Default value is `false`.',
  ),
  [rfc(7396, '2')]: quote(
    rfc(7396, '1'),
    'Null values in the merge patch are given special meaning to indicate the removal of existing values in the target.',
  ),
  [rfc(9110, '15.4.9')]: quote(
    rfc(7538, '3'),
    'This status code is similar to 301 (Moved Permanently) …, except that it does not allow changing the request method from POST to GET.',
  ),
}
