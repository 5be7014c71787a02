import type { Page } from 'playwright-core'
import { keepUsedComponents } from '../../documents/openapi/references.ts'
import { PLAIN_HOST } from './browser.ts'

/** The members of an OpenAPI document that are needed to take a part out of it. */
export interface Document {
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
  webhooks: object
  components: Record<string, Record<string, object>>
}

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
  const items = Object.entries(document.paths).map(([path, item]) => {
    const wanted = Object.entries(item).filter(([, { operationId }]) => operationIds.includes(operationId))
    return [path, Object.fromEntries(wanted.map(([method, operation]) => [method, adapt(operation)]))] as const
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
