import { html } from 'hono/html'
import { z } from 'zod'
import { headersOf, isWanted, tagContent, type Validators } from '../../http/conditions.ts'
import type { RequestContext } from '../../http/context.ts'
import { HTML, renderDocument, replyPage } from '../../http/pages.ts'
import { defineRoute, FileBody, reply } from '../../http/route.ts'
import { keysOf } from '../../lib/keys.ts'

/** Scripts, pictures and calls of its own only: the page makes no request to any other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  // An answer that is a page is shown in a sandbox.
  'frame-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Nothing that calls the hosts of its maker: no fonts, no telemetry, no assistants, no proxy. */
const CONFIGURATION = {
  slug: 'galaxy',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  defaultOpenAllTags: true,
  orderSchemaPropertiesBy: 'preserve',
}

/** The bundle's libraries ask whether code can be made from text. Here it cannot, and they need not ask. */
const SETUP = 'globalThis.__zod_globalConfig = { jitless: true }\n'

/** On a narrow screen the dialog of the bundle is wider than that screen. */
const STYLE = `
  body { margin: 0; }
  [role='dialog'] main > div { min-width: 0; }
  [role='dialog'] main table[role='presentation'] { grid-template-columns: minmax(0, 1fr) !important; }
`

export const reference = defineRoute({
  method: 'get',
  path: '/docs',
  operationId: 'getReference',
  tag: 'Documents',
  summary: 'Get the API reference',
  description: 'A page with every operation, to read and to try.',
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: 'A page', files: [HTML], headers: ['Content-Security-Policy', 'Cross-Origin-Opener-Policy'] },
  },
  async handle() {
    const body = html`<script src="/docs/setup.js"></script>
<script id="api-reference" data-url="/openapi.json" data-configuration="${JSON.stringify(CONFIGURATION)}"></script>
<script src="/docs/scalar.js"></script>
<noscript>This page needs JavaScript. The <a href="/openapi.json">OpenAPI document</a> says the same without.</noscript>`
    // The popup in which a user signs in has to find its way back.
    const headers = { 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' }
    return replyPage(await renderDocument('Galaxy API reference', STYLE, body), POLICY, headers)
  },
})

/** A script, and how a browser can tell that it has it already. */
interface Script {
  content: BodyInit | null
  validators: Validators
}

/** The scripts of the page, by their names. */
const SCRIPTS = {
  'setup.js': async (): Promise<Script> => ({ content: SETUP, validators: { etag: await tagContent(SETUP, 'js') } }),
  // As its package brings it (wrangler.toml, `[assets]`).
  'scalar.js': async ({ services, baseUrl }: RequestContext): Promise<Script> => {
    const asset = await services.assets.fetch(`${baseUrl}/standalone.js`)
    if (!asset.ok) throw new Error(`the bundle of the API reference is not there: ${asset.status}`)
    return { content: asset.body, validators: { etag: asset.headers.get('ETag') ?? '' } }
  },
}

export const referenceScript = defineRoute({
  method: 'get',
  path: '/docs/{script}',
  operationId: 'getReferenceScript',
  tag: 'Documents',
  summary: 'Get a script of the API reference',
  description: 'What makes the page of the API reference work: the Scalar API reference, and a word before it.',
  since: '2.0.0',
  security: [],
  params: z.object({
    script: z.enum(keysOf(SCRIPTS)).meta({ description: 'The name of the script', examples: ['scalar.js'] }),
  }),
  responses: {
    200: { description: 'The script', files: ['text/javascript'], headers: ['ETag'] },
    304: { description: 'The caller has it', headers: ['ETag'] },
  },
  problems: ['precondition-failed'],
  async handle({ params }, context) {
    const { content, validators } = await SCRIPTS[params.script](context)
    if (!isWanted(context.headers, validators)) return reply(304, undefined, headersOf(validators))
    return reply(200, new FileBody('text/javascript; charset=utf-8', content), headersOf(validators))
  },
})
