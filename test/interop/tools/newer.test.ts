import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../../service/in-browser.ts'
import { shareGalaxy } from '../../service/prepared-state.ts'
import { World } from '../../service/world.ts'
import { closeAllTabs, shareBrowser } from '../../support/browser.ts'
import { type DocumentedOperation, listOperations } from '../../support/reference-page.ts'
import { newerDocumentFile, WORLDS } from '../journey.ts'
import { claimOf, yesOrNo } from '../newer.ts'
import { importIntoBruno } from './imports/bruno.ts'
import { importIntoPostman } from './imports/postman.ts'
import { SwaggerUi, serveSwaggerUi } from './imports/swagger-ui.ts'
import { requireTool } from './require-tool.ts'

// Importers and parsers of others read the document in OpenAPI 3.2. What they do with it is in docs/tools.md.

describe.each(WORLDS)('the document in OpenAPI 3.2 of %s', (world) => {
  let text: string

  beforeAll(async () => {
    text = await readFile(newerDocumentFile(world), 'utf8')
  })

  it.each([
    { tool: 'Postman (openapi-to-postmanv2)', convert: importIntoPostman, queryString: 'left out' },
    // A parameter that is off is not sent.
    { tool: 'Bruno (@usebruno/converters)', convert: importIntoBruno, queryString: 'a parameter filter, which is off' },
  ])('is imported into $tool as docs/tools.md says', async ({ tool, convert, queryString }) => {
    const requests = await convert(text)
    const claim = claimOf(tool)
    const hasQuery = requests.some(({ method }) => method === 'QUERY')
    expect({ reads: claim.reads, query: claim.query }).toEqual({ reads: 'yes', query: yesOrNo(hasQuery) })
    const unknown = ['query', 'copy'].filter((name) => !requests.some(({ method }) => method.toLowerCase() === name))
    const others = operationsOf(text).filter(({ method }) => !unknown.includes(method.toLowerCase()))
    expect(requests).toHaveLength(others.length)
    expect(requests.find(({ path }) => path === '/planets/search')).toMatchObject({ method: 'GET', query: [] })
    expect(claim.queryString).toBe(queryString)
  })

  it('is refused by @apidevtools/swagger-parser with the words of docs/tools.md', async () => {
    const { SwaggerParser } = requireTool('@apidevtools/swagger-parser')
    const message = 'Unsupported OpenAPI version: 3.2.0'
    await expect(SwaggerParser.validate(JSON.parse(text))).rejects.toThrow(message)
    expect(claimOf('@apidevtools/swagger-parser').reads).toBe(`no: ${message}`)
  })

  it('is read by the parser of dredd as docs/tools.md says', async () => {
    const parser = requireTool('@apielements/core')
    parser.use(requireTool('@apielements/openapi3-parser'))
    const { annotations, api } = await new Promise<ParseResult>((resolve, reject) => {
      parser.parse({ source: text }, (error: Error | null, result?: ParseResult) =>
        result ? resolve(result) : reject(error),
      )
    })
    const errors = annotations.filter((one) => one.classes.contains('error')).map((one) => one.toValue())
    expect(errors).toEqual([])
    const methods = api?.resources.flatMap(({ transitions }) => transitions.map(methodOf))
    expect(methods).toContain('GET')
    const { reads, query } = claimOf('dredd (@apielements/openapi3-parser)')
    expect({ reads, query }).toEqual({ reads: 'yes', query: yesOrNo(methods?.includes('QUERY') ?? false) })
  })
})

/** The parts of the elements of API Elements that this test uses. */
interface ParseResult {
  annotations: { classes: { contains(name: string): boolean }; toValue(): unknown }[]
  api?: { resources: List<{ transitions: List<Transition> }> }
}

interface List<Item> {
  map<Value>(callback: (item: Item) => Value): Value[]
  flatMap<Value>(callback: (item: Item) => Value[]): Value[]
}

interface Transition {
  transactions: { get(index: number): { request: { method: { toValue(): unknown } } } }
}

function methodOf({ transactions }: Transition): unknown {
  return transactions.get(0).request.method.toValue()
}

function operationsOf(text: string): DocumentedOperation[] {
  return listOperations(JSON.parse(text).paths)
}

describe.skipIf(!chromium)('the document in OpenAPI 3.2 in Swagger UI on another origin', () => {
  const galaxy = shareGalaxy()
  let browser: Browser
  let site: Awaited<ReturnType<typeof serveSwaggerUi>>
  let swaggerUi: SwaggerUi
  let world: World
  let operations: DocumentedOperation[]

  beforeAll(async () => {
    world = await World.open(galaxy.url)
    operations = operationsOf(await readFile(newerDocumentFile('the common world'), 'utf8'))
    site = await serveSwaggerUi(`${galaxy.url}/openapi-3.2.json`)
    browser = await shareBrowser()
    swaggerUi = new SwaggerUi(await browser.newPage())
    await swaggerUi.open(site.url)
  })

  afterAll(async () => {
    await closeAllTabs(browser)
    await site.close()
  })

  /** Tries an operation out as the page offers it. @returns The first planet of the response */
  async function firstPlanetOf(id: string): Promise<unknown> {
    const operation = operations.find(({ operationId }) => operationId === id)
    if (!operation) throw new Error(`there is no ${id}`)
    const { status, text } = await swaggerUi.execute(operation, world)
    expect(status, text).toBe(200)
    return /"name": "([^"]+)"/.exec(text)?.[1]
  }

  it('sends QUERY with the example of the document, and leaves out the query string', async () => {
    const { reads, query, queryString } = claimOf('Swagger UI (swagger-ui-dist)')
    expect(await firstPlanetOf('queryPlanets')).toMatch(/^Kepler/)
    expect({ reads, query }).toEqual({ reads: 'yes', query: 'yes' })
    expect(await firstPlanetOf('searchPlanets')).toBe('Mercury')
    expect(queryString).toBe('shown, not sent')
  })
})
