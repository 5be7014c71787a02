import type { Page } from 'playwright-core'
import { keepUsedComponents } from '../../documents/openapi/references.ts'
import { PLAIN_HOST } from './browser.ts'

/** The members of an OpenAPI document that are needed to take a part out of it. */
export interface Document {
  info: { description: string }
  paths: Record<string, PathItem>
  webhooks: object
  components: Record<string, Record<string, object>>
}

/** In OpenAPI 3.2, the operations with other methods are in a member of their own. */
type PathItem = Record<string, Operation> & { additionalOperations?: Record<string, Operation> }

export interface Operation {
  operationId: string
  responses: Record<string, { content?: object }>
  callbacks?: object
}

/**
 * The document with some of its operations, and with what they refer to. The description of the whole document is left
 * out too.
 *
 * @param adapt Returns an operation without its unneeded members
 */
export function takePart(
  document: Document,
  operationIds: readonly string[],
  adapt: (operation: Operation) => Operation = (operation) => operation,
): Document {
  const take = (operations: Record<string, Operation>) => {
    const wanted = Object.entries(operations).filter(([, { operationId }]) => operationIds.includes(operationId))
    return Object.fromEntries(wanted.map(([method, operation]) => [method, adapt(operation)]))
  }
  const items = Object.entries(document.paths).map(([path, { additionalOperations = {}, ...item }]) => {
    const additional = take(additionalOperations)
    const hasAdditional = Object.keys(additional).length > 0
    return [path, { ...take(item), ...(hasAdditional && { additionalOperations: additional }) } as PathItem] as const
  })
  const paths = Object.fromEntries(items.filter(([, item]) => Object.keys(item).length > 0))
  const info = { ...document.info, description: '' }
  // All are kept, because operations name them without references.
  const { securitySchemes = {} } = document.components
  const components = { ...keepUsedComponents(document.components, paths), securitySchemes }
  return { ...document, info, paths, webhooks: {}, components }
}

/** Gives a page only these operations of the document at this URL. */
export async function narrowDocument(page: Page, url: string, operationIds: readonly string[]): Promise<void> {
  await page.route(url, async (route) => {
    // Only the browser knows PLAIN_HOST (browser.ts).
    const { host } = new URL(url)
    const headers = { ...route.request().headers(), host }
    const response = await route.fetch({ url: url.replace(PLAIN_HOST, 'localhost'), headers })
    await route.fulfill({ response, json: takePart(await response.json(), operationIds) })
  })
}
