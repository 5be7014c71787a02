import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, extname, join } from 'node:path'
import type { Locator, Page, Route } from 'playwright-core'
import { PICTURE } from '../../../service/in-browser.ts'
import { freePort } from '../../../service/ports.ts'
import type { World } from '../../../service/world.ts'
import { type Document, type Operation, takePart } from '../../../support/part-of-document.ts'
import type { DocumentedOperation } from '../../../support/reference-page.ts'
import { requireTool } from '../require-tool.ts'

// Swagger UI takes seconds to open an operation, and two test files share the machine.
const STEP_TIMEOUT_MS = 60_000

/** The maximum number of characters of a response that Swagger UI gets to show. */
const COLOURED_MAX = 1000

/** The path of the document with the requests of all operations. */
const ALL = '/all'

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' }

/**
 * Runs in the page: builds and sends a request with the functions of Swagger UI. The values are those with which its
 * form begins, that is, the examples of the document, and what only the user knows. The first call resolves the
 * references of all requests, and later calls use the result. To resolve those of one operation takes ten times as long
 * as to send its request.
 */
const SEND = `async ({ path, method, parameters: own, body, form, picture }) => {
  const resolve = async () => {
    const { spec, errors } = await ui.fn.resolve({ spec: await (await fetch('${ALL}')).json() })
    if (errors.length > 0) throw new Error(JSON.stringify(errors))
    return spec
  }
  const spec = (globalThis.resolved ??= await resolve())
  const { operationId, parameters = [], requestBody, responses } = spec.paths[path][method]
  const exampleOf = ({ example, examples = {}, schema = {} }) =>
    [Object.values(examples)[0]?.value, example, schema.example, schema.default].find((value) => value !== undefined)
  const values = parameters.map((one) => [one.in + '.' + one.name, own[one.name] ?? exampleOf(one)])
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {})
  const bodies = {
    'application/json': () => body ?? exampleOf(content),
    'application/x-www-form-urlencoded': () => form,
    'multipart/form-data': () => ({
      image: new File([Uint8Array.from(atob(picture), (byte) => byte.charCodeAt(0))], 'a.png', { type: 'image/png' }),
    }),
  }
  const request = {
    spec,
    operationId,
    parameters: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    requestContentType: type,
    requestBody: type && bodies[type.replace(/[^/]+[+]json$/, 'json')](),
    responseContentType: Object.keys(Object.values(responses)[0]?.content ?? {})[0],
    contextUrl: ui.specSelectors.url(),
    serverVariables: own,
    securities: { authorized: ui.authSelectors.authorized().toJS() },
    fetch: ui.fn.fetch,
  }
  const { status, text } = await ui.fn.execute(request).catch((error) => ({ text: String(error), ...error.response }))
  // A response without a type is a Blob.
  return { status, text: String(text) }
}`

/** Runs in the page: whether it has a document with only this operation, and has resolved its security schemes. */
const IS_LOADED = `({ path, method }) => {
  const { specJson, specResolvedSubtree } = ui.specSelectors
  const has = (parts, name) => parts?.size === 1 && parts.has(name)
  const paths = specJson().get('paths')
  return has(paths, path) && has(paths.get(path), method) && specResolvedSubtree(['components', 'securitySchemes'])
}`

/** Runs in the page: whether the fields of a form have these values in what the page will send. */
const IS_ENTERED = `({ path, method, fields }) => {
  const values = ui.oas3Selectors.requestBodyValue(path, method)
  return Object.entries(fields).every(([name, value]) => values?.getIn([name, 'value']) === value)
}`

/**
 * Serves Swagger UI unchanged, with no setting but the URL of the document. It also serves smaller documents, which
 * have only requests and what they refer to: `/{operationId}` that of one operation, `/all` those of all operations.
 * Swagger UI resolves the whole document again each time an operation is opened, and responses and callbacks would take
 * most of that time.
 */
export async function serveSwaggerUi(documentUrl: string): Promise<{ url: string; close(): Promise<void> }> {
  const folder = dirname(requireTool.resolve('swagger-ui-dist/package.json'))
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Swagger UI</title>
<link rel="stylesheet" href="/swagger-ui.css"><div id="swagger-ui"></div><script src="/swagger-ui-bundle.js"></script>
<script>window.ui = SwaggerUIBundle({ url: ${JSON.stringify(documentUrl)}, dom_id: '#swagger-ui' })</script>`
  const document: Document = JSON.parse(await (await fetch(documentUrl)).text())
  const allIds = Object.values(document.paths)
    .flatMap(Object.values<Operation>)
    .map(({ operationId }) => operationId)
  const server = createServer(async (request, response) => {
    const name = new URL(request.url ?? '/', documentUrl).pathname
    const type = TYPES[extname(name)]
    response.setHeader('Content-Type', type ?? (name === '/' ? 'text/html' : 'application/json'))
    if (type) response.end(await readFile(join(folder, name)))
    else if (name === '/') response.end(page)
    else response.end(JSON.stringify(takePart(document, name === ALL ? allIds : [name.slice(1)], onlyRequest)))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  return {
    url: `http://localhost:${port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Keeps the parts of an operation from which requests are made: of its responses, the media types of the successes. */
function onlyRequest({ responses, ...operation }: Operation): Operation {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const withTypes = successes.map(([status, { content, ...response }]) => {
    const types = Object.keys(content ?? {}).map((type) => [type, {}])
    return [status, { ...response, headers: {}, ...(content && { content: Object.fromEntries(types) }) }]
  })
  return { ...operation, callbacks: {}, responses: Object.fromEntries(withTypes) }
}

/** Swagger UI in a browser, used as its reader does. */
export class SwaggerUi {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
    page.setDefaultTimeout(STEP_TIMEOUT_MS)
  }

  async open(url: string): Promise<void> {
    await this.#page.goto(url)
    await this.#page.locator('.opblock').first().waitFor()
    await this.#page.route(/\/openapi[./]/, shorten)
  }

  /** What a user enters under "Authorize". */
  async authorize(user: World, operation: DocumentedOperation): Promise<void> {
    const { bearer, oauth2 } = await user.credentialsFor(operation)
    const token = bearer.replace('Bearer ', '')
    const access_token = oauth2.replace('Bearer ', '')
    await this.#page.evaluate(
      `ui.preauthorizeApiKey('bearerAuth', ${JSON.stringify(token)})
       ui.authActions.authorizeOauth2({ auth: { name: 'oAuth2', schema: { type: 'oauth2' } }, token: { token_type: 'Bearer', access_token: ${JSON.stringify(access_token)} } })`,
    )
  }

  /**
   * Signs in as its reader does, in the window that "Authorize" opens for the flow with a code.
   *
   * @param answer What the reader does in the window
   */
  async signIn(clientId: string, scope: string, answer: (popup: Page) => Promise<void>): Promise<void> {
    // The page that embeds Swagger UI configures the OAuth client.
    const settings = { clientId, usePkceWithAuthorizationCodeGrant: true }
    await this.#page.evaluate(`ui.initOAuth(${JSON.stringify(settings)})`)
    await this.#page.locator('.auth-wrapper .btn.authorize').click()
    const checkbox = `${scope}-authorizationCode-checkbox-oAuth2`
    const flow = this.#page
      .locator('.auth-container div:has(> .auth-btn-wrapper)')
      .filter({ has: this.#page.locator(`[id="${checkbox}"]`) })
    await flow.locator(`label[for="${checkbox}"] .item`).click()
    const opened = this.#page.waitForEvent('popup')
    await flow.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click()
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await answer(popup)
    await closed
    // It is signed in by all flows then, whose scopes are shown no more.
    await this.#page.getByRole('button', { name: 'Remove authorization' }).first().waitFor()
    await this.#page.locator('.modal-ux .close-modal').click()
  }

  /**
   * Sends the request of an operation without its form, which takes a second to be shown.
   *
   * @returns The status; undefined if the browser got no response that it may read
   */
  async send(operation: DocumentedOperation, world: World): Promise<{ status: number | undefined; text: string }> {
    const { path, method } = operation
    const input = {
      path,
      method,
      parameters: await world.parametersOf(operation),
      body: world.bodyOf(operation),
      form: await world.formOf(operation),
      picture: PICTURE.toString('base64'),
    }
    return await this.#page.evaluate(`(${SEND})(${JSON.stringify(input)})`)
  }

  /**
   * Tries an operation out as the page offers it, with ids and credentials filled in.
   *
   * @returns The status that the page shows; undefined if the browser got no response that it may read
   */
  async execute(operation: DocumentedOperation, world: World): Promise<{ status: number | undefined; text: string }> {
    const { tag, operationId } = operation
    await this.#load(operation)
    const block = this.#page.locator(`#operations-${tag.replaceAll(' ', '_')}-${operationId}`)
    await block.locator('.opblock-summary-control').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    // The fields appear with this button.
    await block.getByRole('button', { name: 'Execute' }).waitFor()
    for (const [name, value] of Object.entries(await world.parametersOf(operation))) {
      await block.locator(`tr[data-param-name="${name}"][data-param-in="path"] input`).fill(value)
    }
    const body = world.bodyOf(operation)
    if (body) await block.locator('textarea.body-param__text').fill(JSON.stringify(body))
    await this.#enterForm(block, operation, await world.formOf(operation))
    const file = block.locator('input[type="file"]')
    if ((await file.count()) > 0) await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PICTURE })
    await block.getByRole('button', { name: 'Execute' }).click()
    const answer = block.locator('.live-responses-table .response').first()
    await answer.waitFor()
    const shown = (await answer.locator('.response-col_status').textContent()) ?? ''
    const text = (await answer.textContent()) ?? ''
    return { status: Number.parseInt(shown, 10) || undefined, text }
  }

  /**
   * Gives the page a document with only this operation, and waits until its security schemes are resolved. That takes
   * as long as the discovery of OpenID Connect, and what an operation has shown until then is replaced: its form
   * disappears for a moment.
   */
  async #load({ operationId, path, method }: DocumentedOperation): Promise<void> {
    await this.#page.evaluate(`ui.specActions.download('/${operationId}')`)
    await this.#page.waitForFunction(`(${IS_LOADED})(${JSON.stringify({ path, method })})`)
  }

  /** Swagger UI writes `string` into each field of a form, so a user must empty those that are not to be sent. */
  async #enterForm(
    block: Locator,
    { path, method }: DocumentedOperation,
    form: Readonly<Record<string, string>>,
  ): Promise<void> {
    for (const name of Object.keys(form)) await inputOf(block, name).waitFor()
    const inputs = await listInputs(block)
    const fields = Object.fromEntries(inputs.map(({ name }) => [name, form[name] ?? '']))
    for (const { name, input } of inputs) {
      await input.fill(fields[name] ?? '')
      await input.blur()
    }
    await this.#page.waitForFunction(`(${IS_ENTERED})(${JSON.stringify({ path, method, fields })})`)
  }
}

/** Passes on only the beginning of a response, because Swagger UI takes half a minute to colour a megabyte. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, body: (await response.text()).slice(0, COLOURED_MAX) })
}

/** The text field of a form with this name. */
function inputOf(block: Locator, name: string): Locator {
  return block.locator(`tr[data-property-name=${JSON.stringify(name)}] input[type="text"]`)
}

/** The text fields of a form, by their names. */
async function listInputs(block: Locator): Promise<Array<{ name: string; input: Locator }>> {
  const inputs = []
  for (const field of await block.locator('tr[data-property-name]').all()) {
    const input = field.locator('input[type="text"]')
    const name = (await field.getAttribute('data-property-name')) ?? ''
    if ((await input.count()) > 0) inputs.push({ name, input })
  }
  return inputs
}
