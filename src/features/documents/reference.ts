import { html } from 'hono/html'
import { headersOf, isWanted } from '../../http/conditions.ts'
import { defineRoute, FileBody, reply } from '../../http/route.ts'

const SCRIPT_PATH = '/docs/scalar.js'
/** The name of the script among the files of its package (wrangler.toml, `[assets]`). */
const SCRIPT_FILE = '/standalone.js'

/** Scripts, styles and calls of its own only: the page makes no request to any other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** No calls to the hosts of its maker: no proxy, no fonts, no telemetry, no assistants. */
const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  persistAuth: false,
}

export const reference = defineRoute({
  method: 'get',
  path: '/docs',
  operationId: 'getReference',
  tag: 'Documents',
  summary: 'Get the API reference',
  description: 'This page: every operation, to read and to try.',
  since: '2.0.0',
  security: [],
  responses: { 200: { description: 'A page', files: ['text/html'], headers: ['Content-Security-Policy'] } },
  async handle() {
    const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Galaxy API reference</title>
</head>
<body>
<script id="api-reference" data-configuration="${JSON.stringify(CONFIGURATION)}"></script>
<script src="${SCRIPT_PATH}"></script>
</body>
</html>
`
    return reply(200, new FileBody('text/html; charset=utf-8', page.toString()), { 'Content-Security-Policy': POLICY })
  },
})

export const referenceScript = defineRoute({
  method: 'get',
  path: SCRIPT_PATH,
  operationId: 'getReferenceScript',
  tag: 'Documents',
  summary: 'Get the script of the API reference',
  description: 'The Scalar API reference, as its package brings it.',
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: 'The script', files: ['text/javascript'], headers: ['ETag'] },
    304: { description: 'The caller has it', headers: ['ETag'] },
  },
  problems: ['precondition-failed'],
  async handle(_, { services, baseUrl, headers }) {
    const asset = await services.assets.fetch(baseUrl + SCRIPT_FILE)
    const validators = { etag: asset.headers.get('ETag') ?? '' }
    if (!isWanted(headers, validators)) return reply(304, undefined, headersOf(validators))
    return reply(200, new FileBody('text/javascript', asset.body), headersOf(validators))
  },
})
