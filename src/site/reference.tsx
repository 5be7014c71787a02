import * as z from 'zod'
import { doc } from '#doc'
import { BROWSER_FILES } from '../design/browser-files.ts'
import { renderPage, Script } from '../design/page.tsx'
import type { RenderedPage } from '../design/rendered-page.ts'
import { KEY_SCOPES } from '../domain/scopes.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { defineRoute, type Route } from '../http/pipeline/route.ts'
import { isIn31 } from '../http/pipeline/route-facts.ts'
import { keysOf } from '../lib/objects.ts'
import { REFERENCE_CLIENT } from '../stores/anonymous-rows.ts'
import { OperationList } from './operation-list.tsx'
import { REDIRECT_PATH } from './reference-redirect.tsx'

/**
 * The Content-Security-Policy of the page. It allows scripts, images and calls of this service only, so that the page
 * sends no request to any other host.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The bundle adds style elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  // If a call returns an HTML page, the reference shows it in a sandboxed frame.
  'frame-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The values that the page fills in for each OAuth flow. The page itself is the OAuth client. Disabled flows are
 * hidden.
 */
function describeFlows(legacyFlows: boolean) {
  const client = { 'x-scalar-client-id': REFERENCE_CLIENT }
  const legacy = { ...client, 'x-scalar-credentials-location': 'body', 'x-scalar-ignore': !legacyFlows }
  return { authorizationCode: { ...client, 'x-usePkce': 'SHA-256' }, implicit: legacy, password: legacy }
}

/**
 * The configuration of the API reference (Scalar). Fonts, telemetry and assistants call the hosts of Scalar, so they
 * are off. The policy of the page blocks all other calls to these hosts, such as calls through the proxy of Scalar.
 */
const configurationOf = (legacyFlows: boolean) => ({
  slug: 'galaxy',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  defaultOpenAllTags: true,
  orderSchemaPropertiesBy: 'preserve',
  authentication: {
    securitySchemes: {
      oAuth2: { 'x-default-scopes': [...KEY_SCOPES], flows: describeFlows(legacyFlows) },
      openIdConnect: {
        description: `Client ID \`${REFERENCE_CLIENT}\`, flow \`authorizationCode\`, scope \`openid\` and the scopes that the call requires.`,
      },
    },
  },
})

/**
 * The documents that the page can show. The bundle could show several too, but then the anchor of each operation begins
 * with the name of its document, and older links lead nowhere.
 */
const DOCUMENTS = {
  '3.1': { path: '/openapi.json', page: '/docs' },
  '3.2': { path: '/openapi-3.2.json', page: '/docs?document=3.2' },
} as const

type DocumentName = keyof typeof DOCUMENTS

const ReferenceQuery = z.object({
  document: z
    .enum(keysOf(DOCUMENTS))
    .default('3.1')
    .meta({ description: doc('The version of OpenAPI of the document to show'), examples: ['3.2'] }),
})

/** @param listRoutes The operations, which the page lists before its script has loaded */
export function referenceRoute(listRoutes: () => readonly Route[]): Route {
  return defineRoute({
    method: 'get',
    path: '/docs',
    operationId: 'getReference',
    tag: 'Documents',
    summary: 'Get the API reference',
    description: doc(
      'Returns a page that describes every operation and lets you try it out. It shows the document in OpenAPI 3.1 or in 3.2.',
    ),
    since: '2.0.0',
    security: [],
    query: ReferenceQuery,
    responses: {
      200: {
        description: doc('The API reference'),
        files: [HTML],
        headers: ['Content-Security-Policy', 'Cross-Origin-Opener-Policy'],
      },
    },
    async handle({ query: { document } }, { services }) {
      const page = await renderReference(listRoutes(), document, services.config.legacyFlows)
      // The popup in which a user signs in must be able to return to this page.
      return replyPage(page, CONTENT_SECURITY_POLICY, { 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' })
    },
  })
}

function renderReference(
  routes: readonly Route[],
  document: DocumentName,
  legacyFlows: boolean,
): Promise<RenderedPage> {
  const content = (
    <>
      <DocumentChoice chosen={document} />
      <div
        id="reference"
        data-url={DOCUMENTS[document].path}
        data-redirect={REDIRECT_PATH}
        data-bundle={BROWSER_FILES.reference}
        data-configuration={JSON.stringify(configurationOf(legacyFlows))}
      >
        <OperationList routes={document === '3.1' ? routes.filter(isIn31) : routes} />
      </div>
    </>
  )
  const title = 'Galaxy API reference'
  return renderPage({
    title,
    description: 'Every operation of the Galaxy API: what it takes, what it returns, and a client to try it.',
    path: '/docs',
    width: 'full',
    stylesheet: BROWSER_FILES.referenceStylesheet,
    // Runs before browser/pages/reference.ts, which loads the bundle.
    head: <Script name="reference-setup" />,
    script: 'reference',
    content,
  })
}

/** Links to this page with each document. They need no script. */
function DocumentChoice({ chosen }: { chosen: DocumentName }) {
  return (
    <nav class="documents" aria-label="Version of OpenAPI">
      {keysOf(DOCUMENTS).map((name) => (
        <a href={DOCUMENTS[name].page} aria-current={name === chosen ? 'true' : undefined}>
          OpenAPI {name}
        </a>
      ))}
    </nav>
  )
}
