import type { Page } from 'playwright-core'

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
  return { ...document, info, paths, webhooks: {}, components: componentsOf(document, paths) }
}

/** Gives a page only these operations of the document at this URL. */
export async function narrowDocument(page: Page, url: string, operationIds: readonly string[]): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: takePart(await response.json(), operationIds) })
  })
}

/** The security schemes, and all components that something refers to, directly or not. */
function componentsOf({ components }: Document, root: object): Document['components'] {
  const found: Document['components'] = { securitySchemes: components.securitySchemes ?? {} }
  const waiting = [root]
  for (const part of waiting) {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"/]+)/g)) {
      const component = components[kind]?.[name]
      if (!component || found[kind]?.[name]) continue
      found[kind] = { ...found[kind], [name]: component }
      waiting.push(component)
    }
  }
  return found
}
