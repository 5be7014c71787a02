/** The names of the error statuses (IANA registry). Other statuses get the name of their class. */
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
}

/** Headers that a response with a status must have (RFC 9110, sections 15.5.2, 15.5.6, 15.5.8 and 15.5.22). */
const REQUIRED_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer realm="Echo"' },
  405: { Allow: '' },
  407: { 'Proxy-Authenticate': 'Bearer realm="Echo"' },
  426: { Upgrade: 'websocket' },
}

// The extension of a format (such as `.json`) may follow, as in any path of the echo.
const STATUS_SEGMENT = /\/([2-5]\d\d)(?:\.(?:json|xml|html))?$/

/** The status that the last segment of a path requests; undefined if it requests none. */
export function requestedStatus(path: string): number | undefined {
  const digits = STATUS_SEGMENT.exec(path)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The title of an error status. */
export function titleOf(status: number): string {
  return TITLES[status] ?? (status < 500 ? 'Client Error' : 'Server Error')
}

/** The headers that a response with a status needs. @param target The location of redirects */
export function statusHeaders(status: number, target: string): Readonly<Record<string, string>> {
  const isRedirect = status >= 300 && status < 400 && status !== 304
  return isRedirect ? { Location: target } : (REQUIRED_HEADERS[status] ?? {})
}
