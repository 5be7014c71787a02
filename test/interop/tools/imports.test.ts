import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium, operations } from '../../service/in-browser.ts'
import { shareGalaxy } from '../../service/prepared-state.ts'
import { World } from '../../service/world.ts'
import { closeAllTabs, shareBrowser } from '../../support/browser.ts'
import { oneOfEach } from '../../support/one-of-each.ts'
import type { DocumentedOperation } from '../../support/reference-page.ts'
import { importIntoBruno } from './imports/bruno.ts'
import { importIntoPostman } from './imports/postman.ts'
import { type ImportedRequest, sendImported } from './imports/request.ts'
import { SwaggerUi, serveSwaggerUi } from './imports/swagger-ui.ts'

// The document is imported into API tools without any settings. After credentials and ids are filled in, every
// operation that can return 2xx must do so.

const galaxy = shareGalaxy()

/** The operations that end the credentials of their user, or everything that belongs to it. */
const FINAL = ['setPassword', 'deleteMe', 'deleteUniverse']

/** The user who tries an operation. */
async function userOf({ operationId }: DocumentedOperation, world: World): Promise<World> {
  return FINAL.includes(operationId) ? await World.open(galaxy.url) : world
}

/** Otherwise a request for the list of planets has every filter, with a placeholder as its value. */
const WITHOUT_OPTIONAL = { enableOptionalParameters: false }

describe.each([
  { tool: 'Postman', convert: (document: string) => importIntoPostman(document, WITHOUT_OPTIONAL) },
  {
    tool: 'Postman, with parameters from examples',
    convert: (document: string) =>
      importIntoPostman(document, { ...WITHOUT_OPTIONAL, parametersResolution: 'Example' }),
  },
  { tool: 'Bruno', convert: importIntoBruno },
])('imported into $tool', ({ convert }) => {
  let requests: ImportedRequest[]
  let world: World

  beforeAll(async () => {
    world = await World.open(galaxy.url)
    requests = await convert(await (await fetch(`${galaxy.url}/openapi.json`)).text())
  })

  async function send(operation: DocumentedOperation): Promise<{ status: number; text: string }> {
    const { method, path, server } = operation
    const paths = [path, server + path]
    const found = requests.filter((request) => paths.includes(request.path) && request.method === method.toUpperCase())
    const [request] = found
    if (!request || found.length > 1) throw new Error(`there are ${found.length} requests for ${method} ${path}`)
    const response = await sendImported(galaxy.url, request, operation, await userOf(operation, world))
    if (!response.ok) return { status: response.status, text: (await response.text()).slice(0, 1000) }
    // A stream would not end.
    await response.body?.cancel()
    return { status: response.status, text: '' }
  }

  it.each(operations)('$method $path answers 2xx', async (operation) => {
    const { status, text } = await send(operation)
    expect(status, text).toSatisfy((code: number | undefined) => isSuccess(code, operation.operationId))
  })
})

/** Swagger UI shows a response when it ends, which this one does not. */
const ENDLESS = 'streamPlanetEvents'

describe.skipIf(!chromium)('in Swagger UI on another origin', () => {
  let browser: Browser
  let site: Awaited<ReturnType<typeof serveSwaggerUi>>
  let swaggerUi: SwaggerUi
  let world: World

  beforeAll(async () => {
    world = await World.open(galaxy.url)
    site = await serveSwaggerUi(`${galaxy.url}/openapi.json`)
    browser = await shareBrowser()
    swaggerUi = new SwaggerUi(await browser.newPage())
    await swaggerUi.open(site.url)
  })

  afterAll(async () => {
    await closeAllTabs(browser)
    await site.close()
  })

  const able = operations.filter(({ operationId }) => operationId !== ENDLESS)
  // A form depends only on the type of the body, of which it offers the first. Many tools leave out the body of DELETE.
  const ofEachKind = oneOfEach(able, ({ method, bodyTypes: [type] }) => [type, type && method === 'delete'])

  /** The user who tries an operation in Swagger UI. */
  async function enter(operation: DocumentedOperation): Promise<World> {
    const user = await userOf(operation, world)
    await swaggerUi.authorize(user, operation)
    return user
  }

  it.each(able)('$method $path answers 2xx', async (operation) => {
    const { status, text } = await swaggerUi.send(operation, await enter(operation))
    expect(status, text.slice(0, 1000)).toSatisfy((code: number | undefined) => isSuccess(code, operation.operationId))
  })

  it.each(ofEachKind)('the form of $method $path leads to 2xx', async (operation) => {
    const { status, text } = await swaggerUi.execute(operation, await enter(operation))
    expect(status, text.slice(0, 1000)).toSatisfy((code: number | undefined) => isSuccess(code, operation.operationId))
  })
})

/** Whether an operation does what it is for. */
function isSuccess(status: number | undefined, operationId: string): boolean {
  // No client has sent anything to this run, so its gate stops.
  if (operationId === 'getLabRunGate') return status === 422
  return status !== undefined && status >= 200 && status < 300
}
