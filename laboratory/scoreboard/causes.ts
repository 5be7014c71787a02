/** A cause of failures that several cells share. Written by hand; a test compares it with the results. */
export interface Cause {
  /** What the clients send, in a sentence. */
  title: string
  /** The cases: ids, or `group/*`. */
  cases: readonly string[]
  /** Over what was received, in one line, or the error if nothing was. Absent: whatever it was. */
  pattern?: RegExp
  /** Over the reason of the verdict. Absent: whatever it is. */
  reason?: RegExp
  /** Whether it is about the Content-Type. Only such a cause explains a failure in that header. */
  isOfType?: true
  /** A cell that shows it. */
  evidence: { client: string; case: string }
  /** What the makers of clients were told about it. */
  reports?: readonly { client: string; url: string }[]
}

const LABELS = ['string', 'array', 'array-explode', 'object', 'object-explode'].map((name) => `path/label-${name}`)
const MATRICES = LABELS.map((id) => id.replace('label', 'matrix'))
const QUERY_OBJECTS = ['form-object-explode', 'form-object', 'space-object', 'pipe-object', 'deep-object'].map(
  (name) => `query/${name}`,
)
const FORM_STYLES = ['array-unexploded', 'deep-object', 'space', 'pipe', 'json-array'].map((name) => `form/${name}`)
const DATE_TIMES = ['path/date-time', 'query/date-time', 'header/date-time', 'body/date-time', 'response/date-times']
const REQUEST_PARTS = ['path/*', 'query/*', 'header/*', 'cookie/*', 'form/*', 'multipart/*']

/** The first that has the case and fits what was received is the cause of a failure. */
export const CAUSES: readonly Cause[] = [
  // What only OpenAPI 3.2 has.
  {
    title: 'QUERY, and the methods of `additionalOperations`, are left out: there is nothing to call them by',
    cases: ['body/query-method', 'body/additional-method'],
    pattern: /has no function|have no operation/,
    evidence: { client: 'hey-api-3-2', case: 'body/query-method' },
  },
  {
    title: 'A parameter that is the whole query (`in: querystring`) is left out',
    cases: ['query/querystring-form', 'query/querystring-json'],
    pattern: /^$/,
    evidence: { client: 'hey-api-3-2', case: 'query/querystring-form' },
  },
  {
    title: '`allowReserved` of a parameter in the path is not read: what is encoded is encoded again',
    cases: ['path/allow-reserved'],
    pattern: /%252F/,
    evidence: { client: 'ogen-3-2', case: 'path/allow-reserved' },
  },
  {
    title: 'A list whose items are JSON is one part, where each item is a part of its own',
    cases: ['multipart/json-items'],
    reason: /is a list/,
    evidence: { client: 'ogen-3-2', case: 'multipart/json-items' },
  },
  {
    title: 'Parts by position (`multipart/mixed`) are written as JSON, without a boundary',
    cases: ['multipart/mixed', 'multipart/nested'],
    isOfType: true,
    pattern: /^multipart\/mixed$/,
    evidence: { client: 'hey-api-3-2', case: 'multipart/mixed' },
  },
  {
    title: 'Lines of JSON are written as one list',
    cases: ['body/jsonl'],
    pattern: /^\[/,
    evidence: { client: 'hey-api-3-2', case: 'body/jsonl' },
  },
  {
    title: 'Items that come one after the other are read as one JSON text',
    cases: ['response/jsonl', 'response/json-seq', 'response/multipart-mixed'],
    pattern: /^SyntaxError/,
    evidence: { client: 'hey-api-3-2', case: 'response/jsonl' },
  },
  {
    title: 'A block of a stream that has no data is an event too',
    cases: ['response/events'],
    pattern: /"event":"none"/,
    evidence: { client: 'hey-api-3-2', case: 'response/events' },
  },
  {
    title: 'An event has the `retry` of the one before it',
    cases: ['response/events-json'],
    pattern: /"retry":1500.*"retry":1500/,
    evidence: { client: 'hey-api-3-2', case: 'response/events-json' },
  },
  {
    title: 'A kind that a discriminator does not name is refused, whatever `defaultMapping` says',
    cases: ['response/default-mapping'],
    pattern: /unknown type/,
    evidence: { client: 'ogen-3-2', case: 'response/default-mapping' },
  },
  // Values that are turned into text by their language.
  {
    title: 'Date-times are written as their language prints them, not as RFC 3339 has them',
    cases: [...DATE_TIMES, 'response/headers'],
    pattern:
      /2026-02-28(?:\+|%20| )2|T23(?::|%3A)30(?:%2B|\+)|00(?:\+|%2B)0200|DateTime could not be converted|^Sat Feb/,
    evidence: { client: 'openapi-generator-ruby', case: 'query/date-time' },
  },
  {
    title: 'Dates are written with a time, or not at all',
    cases: ['path/date', 'query/date'],
    pattern: /T00|DateTime could not be converted/,
    evidence: { client: 'openapi-generator-php', case: 'path/date' },
  },
  {
    title: 'Objects are written as their language prints them: a name of a class, or its own notation of members',
    cases: REQUEST_PARTS,
    pattern:
      /(?:\[|%5B)object(?: |\+|%20)\w+(?:\]|%5D)|\bclass(?:%20|[+ ])\w|\w(?:\(|%28)[Rr](?:=|%3D)|R(?:%3D%3E|=>)|(?:\{|%7B)(?:(?:'|%27)R|100)/,
    evidence: { client: 'openapi-generator-java-native', case: 'path/simple-object' },
  },
  {
    title: 'Lists are written as their language prints them, with brackets',
    cases: REQUEST_PARTS,
    pattern: /^(?:\w+=)?(?:\[|%5B)(?:'|"|%22|%27)?\w/,
    evidence: { client: 'openapi-generator-ruby', case: 'path/simple-array' },
  },
  {
    title: 'Integers of 64 bits become doubles, so their last digits change',
    cases: ['path/int64', 'query/int64', 'body/int64', 'response/int64'],
    pattern: /./,
    evidence: { client: 'hey-api', case: 'response/int64' },
  },
  {
    title: 'Values that are no texts go to the HTTP library as they are, which refuses them',
    cases: ['header/*', 'cookie/*'],
    pattern: /^TypeError: expected string/,
    evidence: { client: 'openapi-generator-python', case: 'header/object' },
  },
  // Importers.
  {
    title: 'Parameters in the query are not sent',
    cases: ['query/*'],
    pattern: /^$/,
    evidence: { client: 'bruno', case: 'query/form-string' },
  },
  {
    title: 'Objects in headers are not sent',
    cases: ['header/*'],
    pattern: /^$/,
    evidence: { client: 'bruno', case: 'header/object' },
  },
  {
    title: 'The name of a parameter in the path stays where its value should be',
    cases: ['path/*'],
    pattern: /(?:%3A|:)(?:color|format)\b/,
    evidence: { client: 'bruno', case: 'path/simple-object' },
  },
  {
    title: 'A body that is optional and has no example is invented',
    cases: ['body/no-body'],
    pattern: /"name": ?"/,
    evidence: { client: 'postman', case: 'body/no-body' },
  },
  {
    title: 'Bodies of media types that end in `+json` are sent as `application/json`',
    cases: ['body/vendor-json', 'body/merge-patch'],
    isOfType: true,
    pattern: /^application\/json/,
    evidence: { client: 'bruno', case: 'body/vendor-json' },
  },
  // Styles.
  {
    title: 'The styles `label` and `matrix` are not known: the value is written as `simple`',
    cases: [...LABELS, ...MATRICES],
    pattern: /^[^.;]/,
    evidence: { client: 'hey-api', case: 'path/matrix-array' },
  },
  {
    title: 'The commas between the items of a list are encoded, so one item arrives',
    cases: ['path/*', 'query/*', 'form/*'],
    pattern: /^(?:\w+=)?(?:blue%2Cblack%2Cbrown|a%2Cb(?:%2Cc)?|true%2Cfalse|[Rr]%2C100\S*)$/,
    evidence: { client: 'openapi-generator-php', case: 'query/form-array' },
  },
  {
    title: 'A comma within an item is not encoded, so it divides the item',
    cases: ['path/comma-item', 'query/comma-item'],
    pattern: /a,b,c$/,
    evidence: { client: 'openapi-generator-kotlin', case: 'path/comma-item' },
  },
  {
    title: 'Spaces in the path are written as `+`, which is a plus there',
    cases: ['path/reserved', 'path/utf8'],
    pattern: /\+/,
    evidence: { client: 'openapi-generator-ruby', case: 'path/reserved' },
  },
  {
    title: 'A slash in the path is not encoded, so it divides the path',
    cases: ['path/reserved'],
    pattern: /^a\/b/,
    evidence: { client: 'postman', case: 'path/reserved' },
  },
  {
    title: 'A plus in the query is not encoded, so it is a space',
    cases: ['query/reserved', 'query/date-time'],
    pattern: /\+/,
    evidence: { client: 'postman', case: 'query/date-time' },
  },
  {
    title: 'Each item of a list in the path has its index as a name',
    cases: MATRICES,
    pattern: /0=blue/,
    evidence: { client: 'postman', case: 'path/matrix-array-explode' },
  },
  {
    title: 'Of objects with the styles `spaceDelimited` and `pipeDelimited`, only the names are sent',
    cases: ['query/space-object', 'query/pipe-object'],
    pattern: /^color=R&color=G&color=B$/,
    evidence: { client: 'schemathesis', case: 'query/pipe-object' },
  },
  {
    title: 'An item with a comma is refused, though it can be encoded',
    cases: ['path/comma-item', 'query/comma-item'],
    pattern: /contains ','/,
    evidence: { client: 'ogen', case: 'query/comma-item' },
  },
  {
    title: 'Spaces between the items of a list are not encoded, so HTTP refuses the request',
    cases: ['query/space-array'],
    pattern: /status 400/,
    evidence: { client: 'oapi-codegen', case: 'query/space-array' },
  },
  {
    title: 'Objects with the styles `spaceDelimited` and `pipeDelimited` are refused',
    cases: ['query/space-object', 'query/pipe-object'],
    pattern: /unsupported style/,
    evidence: { client: 'oapi-codegen', case: 'query/pipe-object' },
  },
  {
    title: 'Of a list in a header, only the last item is sent',
    cases: ['header/array'],
    pattern: /^brown$/,
    evidence: { client: 'openapi-generator-go', case: 'header/array' },
  },
  {
    title: 'Each member of an object in a header becomes a header with brackets in its name, which HTTP refuses',
    cases: ['header/object', 'header/object-explode'],
    pattern: /invalid header field name/,
    evidence: { client: 'openapi-generator-go', case: 'header/object' },
  },
  {
    title: '`explode` of an object in the path is not read: name and value are separated by a comma',
    cases: ['path/simple-object-explode'],
    pattern: /^R,100/,
    evidence: { client: 'hey-api', case: 'path/simple-object-explode' },
  },
  {
    title: 'Lists in the query are written as a pair for each item, whatever `style` and `explode` say',
    cases: ['query/form-array', 'query/space-array', 'query/pipe-array', 'query/comma-item'],
    pattern: /=[^&]+&color=/,
    evidence: { client: 'openapi-fetch', case: 'query/form-array' },
  },
  {
    title: 'Each item of a list has brackets after its name, some with an index in them',
    cases: ['query/*', 'form/*', 'multipart/*'],
    pattern: /\b(?:color|flags|tags|files)(?:%5B|\[)\d*(?:%5D|\])/,
    evidence: { client: 'openapi-generator-ruby', case: 'query/form-array-explode' },
  },
  {
    title: 'Objects have the names that members have in the language, not those of the document',
    cases: ['query/*', 'form/*'],
    pattern: /\br=100|(?:\[|%5B)r(?:\]|%5D)=|\br(?:%20|%7C)100/,
    evidence: { client: 'openapi-generator-php', case: 'query/form-object-explode' },
  },
  {
    title: 'Objects in the query are written with brackets (`deepObject`), whatever `style` says',
    cases: QUERY_OBJECTS,
    pattern: /^color(?:\[|%5[Bb])[RGB]/,
    evidence: { client: 'hey-api', case: 'query/form-object-explode' },
  },
  {
    title: 'Objects in the query are written as a pair for each member, whatever `style` and `explode` say',
    cases: QUERY_OBJECTS,
    pattern: /^(?:[RGB]=\d+&?){3}$/,
    evidence: { client: 'openapi-python-client', case: 'query/deep-object' },
  },
  {
    title: 'Objects in the query have a dot before the name of each member, whatever `style` says',
    cases: QUERY_OBJECTS,
    pattern: /^color\.R=/,
    evidence: { client: 'openapi-generator-typescript-axios', case: 'query/form-object' },
  },
  {
    title: 'Objects with the styles `spaceDelimited` and `pipeDelimited` are written with commas',
    cases: ['query/space-object', 'query/pipe-object'],
    pattern: /^color=R,100/,
    evidence: { client: 'swagger-client', case: 'query/pipe-object' },
  },
  {
    title: 'An empty text in the query is left out',
    cases: ['query/falsy'],
    pattern: /^flag=false&count=0$/,
    evidence: { client: 'swagger-client', case: 'query/falsy' },
  },
  {
    title: 'Objects in paths, queries and headers are written as JSON',
    cases: ['path/*', 'query/*', 'header/*'],
    pattern: /^(?:color=)?(?:\{|%7B)(?:%0A|%20)*(?:"|%22)R/,
    evidence: { client: 'openapi-generator-python', case: 'query/deep-object' },
  },
  {
    title: 'Nothing is between the items of lists with the styles `spaceDelimited` and `pipeDelimited`',
    cases: ['query/space-array', 'query/pipe-array'],
    pattern: /^color=blueblackbrown$/,
    evidence: { client: 'openapi-generator-kotlin', case: 'query/pipe-array' },
  },
  {
    title: 'Parameters with `content` are not written as JSON',
    cases: ['query/content-json'],
    evidence: { client: 'hey-api', case: 'query/content-json' },
  },
  {
    title: 'Parameters in cookies are not sent',
    cases: ['cookie/*'],
    pattern: /^$/,
    evidence: { client: 'hey-api', case: 'cookie/string' },
  },
  {
    title: 'Cookies are separated by a comma',
    cases: ['cookie/two'],
    pattern: /^color=blue, size=3$/,
    evidence: { client: 'openapi-generator-java-okhttp-gson', case: 'cookie/two' },
  },
  {
    title: 'Of several cookies, only the last one is sent',
    cases: ['cookie/two'],
    pattern: /^size=3$/,
    evidence: { client: 'swagger-client', case: 'cookie/two' },
  },
  // Forms.
  {
    title: 'The members of a form are written as JSON',
    cases: ['form/*'],
    pattern: /^\{"/,
    evidence: { client: 'kubb-fetch', case: 'form/text' },
  },
  {
    title: 'Lists in forms are one pair, with commas that are not encoded',
    cases: ['form/array'],
    pattern: /^tags=a,b$/,
    evidence: { client: 'swagger-client', case: 'form/array' },
  },
  {
    title: '`multipart/form-data` without a file is sent as `application/x-www-form-urlencoded`',
    cases: ['multipart/*'],
    isOfType: true,
    pattern: /^application\/x-www-form-urlencoded/,
    evidence: { client: 'openapi-generator-typescript-fetch', case: 'multipart/text' },
  },
  {
    title: '`style`, `explode` and `contentType` of an `encoding` of a form are not read',
    cases: FORM_STYLES,
    evidence: { client: 'hey-api', case: 'form/array-unexploded' },
  },
  {
    title: 'Objects in forms are written as a pair for each member, where JSON is the default',
    cases: ['form/object'],
    pattern: /^R=100$/,
    evidence: { client: 'schemathesis', case: 'form/object' },
  },
  {
    title: 'Objects in forms are written with brackets (`deepObject`), where JSON is the default',
    cases: ['form/object'],
    pattern: /^color(?:\[|%5B)R(?:\]|%5D)=100$/,
    evidence: { client: 'oapi-codegen', case: 'form/object' },
  },
  {
    title: 'Lists and objects in forms cannot be written',
    cases: ['form/*'],
    pattern: /failed to serialize body/,
    evidence: { client: 'progenitor', case: 'form/array' },
  },
  {
    title: 'A value that is not given is sent as an empty one',
    cases: ['form/omitted', 'multipart/omitted'],
    pattern: /tag=|name="file"/,
    evidence: { client: 'openapi-generator-kotlin', case: 'form/omitted' },
  },
  {
    title: 'Files are written as their language prints them',
    cases: ['multipart/*'],
    pattern: /\\nb['"]|os\.File value|\\n\/[\w/.-]+\\r|\{\}\\r\\n--/,
    reason: /^The part "(?:file|files|image)"/,
    evidence: { client: 'openapi-python-client', case: 'multipart/file' },
  },
  {
    title: 'Several files are written as JSON',
    cases: ['multipart/files'],
    pattern: /Content-Type: application\/json/,
    evidence: { client: 'ogen', case: 'multipart/files' },
  },
  {
    title: 'Objects in `multipart/form-data` are a part for each member, where JSON is the default',
    cases: ['multipart/object', 'multipart/file-and-json'],
    reason: /^There should be no part/,
    evidence: { client: 'openapi-generator-go', case: 'multipart/object' },
  },
  {
    title: 'A list of which each item is a part with JSON is sent whole, once for each item',
    cases: ['multipart/json-array'],
    reason: /^There should be no other part/,
    evidence: { client: 'openapi-generator-java-okhttp-gson', case: 'multipart/json-array' },
  },
  {
    title: 'A part of `multipart/form-data` that is JSON has no `Content-Type: application/json`',
    cases: ['multipart/object', 'multipart/json-array', 'multipart/json-items', 'multipart/file-and-json'],
    reason: /Content-Type/,
    evidence: { client: 'hey-api', case: 'multipart/object' },
  },
  {
    title: '`headers` of an `encoding` are not sent with the part',
    cases: ['multipart/part-header'],
    evidence: { client: 'hey-api', case: 'multipart/part-header' },
  },
  {
    title: 'Lists in `multipart/form-data` are one part, whose items have commas between them',
    cases: ['multipart/array', 'multipart/json-array'],
    pattern: /\\na,b\\r/,
    evidence: { client: 'openapi-generator-python', case: 'multipart/array' },
  },
  {
    title: 'A part of `multipart/form-data` has the type of JSON, and a text that is none',
    cases: ['multipart/json-array'],
    reason: /is no JSON here/,
    evidence: { client: 'schemathesis', case: 'multipart/json-array' },
  },
  {
    title: 'Numbers, booleans and lists in `multipart/form-data` are parts with JSON',
    cases: ['multipart/*'],
    reason: /has the Content-Type "application\/json"/,
    evidence: { client: 'openapi-generator-java-okhttp-gson', case: 'multipart/text' },
  },
  {
    title: 'The body of `multipart/form-data` has no boundary if it has no file',
    cases: ['multipart/*'],
    isOfType: true,
    pattern: /^multipart\/form-data$/,
    evidence: { client: 'openapi-generator-ruby', case: 'multipart/text' },
  },
  {
    title: 'Texts in `multipart/form-data` are in ISO-8859-1, which lacks most characters',
    cases: ['multipart/text'],
    pattern: /charset=ISO-8859-1/,
    evidence: { client: 'openapi-generator-java-native', case: 'multipart/text' },
  },
  {
    title: 'A file that is optional cannot be left out',
    cases: ['multipart/omitted'],
    pattern: /File may not be null/,
    evidence: { client: 'openapi-generator-java-native', case: 'multipart/omitted' },
  },
  {
    title: 'A file of no bytes is not sent',
    cases: ['multipart/empty-file'],
    pattern: /^\\r\\n--/,
    evidence: { client: 'openapi-generator-go', case: 'multipart/empty-file' },
  },
  // JSON.
  {
    title: 'JSON is sent without its Content-Type, so it is taken for a text',
    cases: ['body/*', 'redirect/*', 'retry/*'],
    isOfType: true,
    pattern: /^text\/plain/,
    evidence: { client: 'kubb-fetch', case: 'body/object' },
  },
  {
    title: 'A text that is the whole body is sent as a form',
    cases: ['body/top-string'],
    isOfType: true,
    pattern: /^application\/x-www-form-urlencoded/,
    evidence: { client: 'kubb', case: 'body/top-string' },
  },
  {
    title: 'A number that is the whole body goes to the HTTP library as it is, which refuses it',
    cases: ['body/top-number'],
    pattern: /^AxiosError/,
    evidence: { client: 'kubb', case: 'body/top-number' },
  },
  {
    title: 'Every response is read as JSON',
    cases: ['response/text', 'response/bytes'],
    pattern: /^SyntaxError/,
    evidence: { client: 'kubb-fetch', case: 'response/text' },
  },
  {
    title: 'Bytes of a response are read as a text',
    cases: ['response/bytes'],
    pattern: /\\xef\\xbf\\xbd/,
    evidence: { client: 'kubb', case: 'response/bytes' },
  },
  {
    title: 'Null is left out, where it is another value than absence',
    cases: ['body/null', 'body/merge-patch', 'response/null'],
    pattern: /^\{(?:"name":"blue")?\}$/,
    evidence: { client: 'openapi-generator-kotlin', case: 'body/null' },
  },
  {
    title: 'A list that is absent comes back as an empty one',
    cases: ['response/absent'],
    pattern: /"tags":\[\]/,
    evidence: { client: 'openapi-generator-java-native', case: 'response/absent' },
  },
  {
    title: 'An empty object becomes an empty list',
    cases: ['body/empty', 'response/empty'],
    pattern: /"options":\[\]/,
    evidence: { client: 'openapi-generator-php', case: 'body/empty' },
  },
  {
    title: 'Unions with a discriminator are neither written nor read',
    cases: ['body/discriminator', 'response/discriminator'],
    evidence: { client: 'openapi-generator-kotlin', case: 'body/discriminator' },
    reports: [
      { client: 'openapi-generator-kotlin', url: 'https://github.com/OpenAPITools/openapi-generator/issues/19928' },
    ],
  },
  {
    title: 'Members that only `additionalProperties` allows are left out',
    cases: ['body/open-object'],
    pattern: /^\{"name": ?"blue"\}$/,
    evidence: { client: 'openapi-generator-kotlin', case: 'body/open-object' },
  },
  {
    title: 'A response with a member that the document lacks is refused',
    cases: ['response/unknown-member'],
    evidence: { client: 'openapi-generator-java-okhttp-gson', case: 'response/unknown-member' },
  },
  {
    title: 'Fractions of seconds are lost',
    cases: ['response/date-times'],
    pattern: /:00(?:\+00:00|Z)"/,
    evidence: { client: 'openapi-generator-php', case: 'response/date-times' },
  },
  {
    title: 'A duration is not read as ISO 8601 has it',
    cases: ['body/duration'],
    pattern: /invalid duration/,
    evidence: { client: 'ogen', case: 'body/duration' },
  },
  {
    title: 'A JSON text that is the whole body has no quotes',
    cases: ['body/top-string'],
    pattern: /^blue$/,
    evidence: { client: 'openapi-generator-ruby', case: 'body/top-string' },
  },
  {
    title:
      'Texts and bytes that are the whole body are written as JSON, of bytes the path of a file or a name of an object',
    cases: ['body/text', 'body/bytes', 'response/bytes'],
    pattern: /^(?:"|\{\}$)/,
    evidence: { client: 'openapi-generator-java-native', case: 'body/bytes' },
  },
  {
    title: 'Bytes of a response are not decoded',
    cases: ['response/bytes'],
    pattern: /NoneType/,
    evidence: { client: 'openapi-python-client', case: 'response/bytes' },
  },
  {
    title: 'Read-only members are required of requests, and write-only members of responses',
    cases: ['body/read-only', 'response/write-only'],
    pattern: /missing field/,
    evidence: { client: 'progenitor', case: 'body/read-only' },
  },
  {
    title: 'A body that is optional has to be given',
    cases: ['body/no-body'],
    pattern: /expected struct/,
    evidence: { client: 'progenitor', case: 'body/no-body' },
  },
  {
    title: 'An optional body that is not given is sent as null, or as an empty object',
    cases: ['body/no-body'],
    pattern: /^(?:null|\{\}$)/,
    evidence: { client: 'openapi-generator-java-native', case: 'body/no-body' },
  },
  {
    title: 'Null or false as the whole body is taken for no body',
    cases: ['body/top-null', 'body/top-boolean'],
    evidence: { client: 'openapi-generator-ruby', case: 'body/top-null' },
  },
  {
    title: 'Unions without a discriminator lose members, or cannot be written',
    cases: ['body/one-of', 'body/any-of'],
    evidence: { client: 'openapi-generator-python', case: 'body/any-of' },
  },
  {
    title: 'Members whose names differ in their notation become one',
    cases: ['body/similar-names'],
    pattern: /^\{"FooBar": ?3\}$/,
    evidence: { client: 'openapi-generator-ruby', case: 'body/similar-names' },
  },
  {
    title: 'An integer that is written with a fraction of zero is refused',
    cases: ['response/number-forms'],
    evidence: { client: 'openapi-generator-python', case: 'response/number-forms' },
  },
  {
    title: 'The schema of one success is taken for all of them',
    cases: ['response/two-successes'],
    evidence: { client: 'openapi-generator-ruby', case: 'response/two-successes' },
  },
  // XML and redirects.
  {
    title: 'XML is written under the type of JSON',
    cases: ['xml/*'],
    isOfType: true,
    evidence: { client: 'openapi-generator-kotlin', case: 'xml/attribute' },
  },
  {
    title: 'Texts in XML are not escaped',
    cases: ['xml/*'],
    pattern: /a < b/,
    reason: /^The XML cannot be read/,
    evidence: { client: 'bruno', case: 'xml/escaped' },
  },
  {
    title: 'What the document says of XML is not followed: names, attributes, namespaces, or elements around lists',
    cases: ['xml/*'],
    pattern: /^</,
    evidence: { client: 'postman', case: 'xml/attribute' },
  },
  {
    title: 'XML is neither written nor read',
    cases: ['xml/*', 'response/xml'],
    evidence: { client: 'openapi-generator-php', case: 'xml/attribute' },
  },
  {
    title: 'POST is sent again without a key, if its response is lost',
    cases: ['retry/post-once'],
    reason: /without Idempotency-Key/,
    evidence: { client: 'openapi-generator-kotlin', case: 'retry/post-once' },
  },
]
