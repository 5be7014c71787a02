import type { Request as BrowserRequest, Response as BrowserResponse, Locator, Page } from 'playwright-core'
import { narrowDocument } from './part-of-document.ts'
import { ReferenceCredentials } from './reference-credentials.ts'

/** The parts of an operation of the OpenAPI document that the reference page uses. */
export interface DocumentedOperation {
  method: string
  path: string
  /** What comes before the path if the operation is at a server of its own, such as `/u/{universe}`. */
  server: string
  operationId: string
  summary: string
  tag: string
  /** The accepted schemes; none if the operation is public, or also works without credentials. */
  schemes: string[]
  bodyTypes: string[]
  /** The status of its success. */
  success: number
  /** The media types of that response; none if it has no body. */
  answerTypes: string[]
  /** Whether it may redirect a browser to a page. */
  redirects: boolean
}

interface OperationObject {
  operationId: string
  summary: string
  tags: [string, ...string[]]
  security: object[]
  servers?: { url: string }[]
  requestBody?: { content: object }
  responses: Record<string, { content?: object }>
}

/** The operations on a path, by method. In OpenAPI 3.2, those with other methods are in a member of their own. */
type PathItem = Record<string, OperationObject> & { additionalOperations?: Record<string, OperationObject> }

export function listOperations(paths: Record<string, PathItem>): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, { additionalOperations, ...item }]) =>
    // The page writes each method as the document does.
    Object.entries({ ...item, ...additionalOperations }).map(([method, operation]) =>
      describeOperation(path, method, operation),
    ),
  )
}

function describeOperation(path: string, method: string, operation: OperationObject): DocumentedOperation {
  const { operationId, summary, tags, security, servers, requestBody, responses } = operation
  const isForAll = security.some((requirement) => Object.keys(requirement).length === 0)
  const success = Math.min(...Object.keys(responses).map(Number))
  return {
    method,
    path,
    server: servers?.[0]?.url.replace(/^https?:\/\/[^/]+/, '') ?? '',
    operationId,
    summary,
    tag: tags[0],
    schemes: isForAll ? [] : security.flatMap(Object.keys),
    bodyTypes: Object.keys(requestBody?.content ?? {}),
    success,
    answerTypes: Object.keys(responses[success]?.content ?? {}),
    redirects: '303' in responses,
  }
}

/** The position of an operation on the page. */
export function linkTo({ method, path, tag }: DocumentedOperation): string {
  return `#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}

/** A program for a page, which adds styles to it. */
const addStyles = (styles: string) => `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(${JSON.stringify(styles)})
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
})();`

/** Runs in the page: shows no motion, so that no style is one of a moment. */
export const STILL = addStyles('*, *::before, *::after { animation: none !important; transition: none !important }')

/**
 * Runs in the page: without motion, without the descriptions of operations (parameters, bodies and responses), and without
 * the rules that depend on what an element contains. Scalar creates the descriptions all the same, but drawing what a test
 * does not look at would take most of its time. Because of its rules with `:has()`, Chromium computes the styles of the
 * whole page after each change, which is two fifths of what is left.
 */
export const PLAIN = `
${STILL}
${addStyles('.operation-details { display: none !important }')}
addEventListener('load', () => {
  const removeFrom = (list) => {
    for (let index = list.cssRules.length - 1; index >= 0; index--) {
      const rule = list.cssRules[index]
      if (rule.selectorText?.includes(':has(')) list.deleteRule(index)
      else if (rule.cssRules?.length) removeFrom(rule)
    }
  }
  for (const sheet of document.styleSheets) removeFrom(sheet)
})`

/** The response to a call from the page. */
export interface Answer {
  status: number
  text: string
  /** The status as the page shows it. */
  shown: string
  /** The call itself. */
  sent: { url: URL; headers: Record<string, string> }
}

/** Longer than the page waits until it takes over what was entered. */
const IDLE_TIMEOUT_MS = 500

/** How long to wait for the client before the button is clicked again. */
const CLICK_AGAIN_MS = 5_000

/** The number of operations after which the page is slower than a reload. */
const SHOWN_MANY = 6

/** The API reference, used as its reader does. */
export class ReferencePage {
  readonly #page: Page
  readonly #origin: string
  readonly client: Locator
  readonly credentials: ReferenceCredentials
  readonly #shown = new Set<DocumentedOperation>()
  /** The body that was entered for the next call. */
  #entered: string | undefined

  constructor(page: Page, origin: string) {
    this.#page = page
    this.#origin = origin
    // Found by its attributes. To find it by its role, the browser would compute the names of thousands of elements.
    this.client = page.locator('[role=dialog][aria-label="API Client"]')
    this.credentials = new ReferenceCredentials(page, this.client)
  }

  /** Whether to reload the page: after many operations it is slow, because it keeps all of them. */
  get hasShownMuch(): boolean {
    return this.#shown.size >= SHOWN_MANY
  }

  /**
   * Gives the page a document with only some of the operations. The page, its scripts and the called service stay the
   * same, and a call depends only on its operation. With all operations, the page would be busy for seconds.
   */
  async narrow(operations: readonly DocumentedOperation[]): Promise<void> {
    const operationIds = operations.map(({ operationId }) => operationId)
    await narrowDocument(this.#page, `${this.#origin}/openapi.json`, operationIds)
  }

  /** Loads the page again. */
  async open(): Promise<void> {
    this.#shown.clear()
    await this.#page.goto('about:blank')
    await this.#page.goto(`${this.#origin}/docs`)
    await this.waitUntilShown()
  }

  /** Waits until the API reference has replaced the list of operations. */
  async waitUntilShown(): Promise<void> {
    await this.#page.getByRole('heading', { level: 1, name: 'Galaxy', exact: true }).first().waitFor()
  }

  /** Opens an operation by its own link. */
  async show(operation: DocumentedOperation): Promise<void> {
    this.#shown.add(operation)
    this.#entered = undefined
    await this.closeClient()
    await this.#page.goto(`${this.#origin}/docs${linkTo(operation)}`)
    await this.#section(operation).getByRole('heading', { name: operation.summary, exact: true }).first().waitFor()
  }

  /** Opens the client that calls an operation, unless it is open. */
  async try(operation: DocumentedOperation): Promise<void> {
    this.#entered = undefined
    if (await this.sendButton(operation).isVisible()) return
    await this.show(operation)
    await this.openClient(operation)
  }

  async openClient(operation: DocumentedOperation): Promise<void> {
    const name = `Test Request (${operation.method} ${operation.path})`
    // A client that is still open covers this button.
    const button = this.#section(operation).getByRole('button', { name, exact: true })
    await button.click()
    // Scalar loses a click while it builds the page. A person clicks again.
    await this.sendButton(operation)
      .waitFor({ timeout: CLICK_AGAIN_MS })
      .catch(async () => {
        if (!(await this.client.isVisible())) await button.click()
      })
    await this.sendButton(operation).waitFor()
  }

  async closeClient(): Promise<void> {
    const close = this.client.getByRole('button', { name: 'Close Client' })
    if (!(await close.isVisible())) return
    await close.click()
    await close.waitFor({ state: 'hidden' })
  }

  async enterToken(token: string): Promise<void> {
    await this.credentials.choose('bearerAuth')
    await this.credentials.enter('Bearer Token', token)
  }

  async setParameter(name: string, value: string): Promise<void> {
    const row = this.#row(name)
    const cell = row.getByRole('cell').nth(2)
    const examples = cell.locator('button[aria-haspopup=menu]')
    const field = cell.locator('[contenteditable=true]')
    await examples.or(field).first().waitFor()
    if (await examples.isVisible()) {
      await examples.click()
      await this.#page.locator('[role=menuitem]', { hasText: 'Add value' }).click()
      await cell.getByRole('textbox', { name: 'Value' }).fill(value)
      await this.#page.keyboard.press('Enter')
    } else {
      await field.fill(value)
    }
    await this.#tick(row)
  }

  /** Sends a call without the optional parameters. */
  async leaveOut(...names: string[]): Promise<void> {
    for (const name of names) {
      const box = this.#row(name).getByRole('checkbox')
      if (await box.isChecked()) await box.uncheck({ force: true })
    }
  }

  /** @param format Its name on the page: JSON, XML, or a media type */
  async chooseBodyFormat(format: string): Promise<void> {
    const editor = this.#body().locator('.cm-content')
    await this.#body().locator('button[aria-haspopup=listbox]').first().click()
    await this.#page.locator('[role=listbox]').getByRole('option', { name: format, exact: true }).click()
    // The example in this format comes a moment later.
    await editor.filter({ hasText: format === 'XML' ? /^\s*</ : /^\s*[{[]/ }).waitFor()
    await this.#waitUntilSettled(editor)
  }

  /** Enters a body after the page has inserted its own, which would replace an earlier input. */
  async setBody(text: string): Promise<void> {
    const editor = this.#body().locator('.cm-content')
    await editor.filter({ hasText: /\S/ }).waitFor()
    await this.#waitUntilSettled(editor)
    await this.#replaceAll(editor, text)
    await this.#waitUntilSettled(editor)
    this.#entered = text
  }

  async chooseFile(part: string, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const row = this.#row(part)
    const [chooser] = await Promise.all([
      this.#page.waitForEvent('filechooser'),
      row.getByRole('button', { name: 'Select File' }).click(),
    ])
    await chooser.setFiles(file)
    await this.#tick(row)
  }

  async send(operation: DocumentedOperation): Promise<Answer> {
    // The response to an earlier call stays on the page, so this waits for the new one.
    const [response] = await Promise.all([
      this.#page.waitForResponse((one) => isAnswer(one, operation.method)),
      this.sendButton(operation).click(),
    ])
    const [status, call] = [response.status(), callOf(response)]
    const entered = this.#entered
    if (entered !== undefined && call.postData() !== entered) {
      throw new Error(`the page sent another body than was entered: ${call.postData()} instead of ${entered}`)
    }
    const shown = this.client.locator(`a[href$="/Web/HTTP/Status/${status}"]`)
    await shown.waitFor()
    return {
      status,
      shown: (await shown.textContent())?.trim() ?? '',
      text: status === 204 ? '' : await response.text(),
      sent: { url: new URL(call.url()), headers: await call.allHeaders() },
    }
  }

  /** The body of the response, as it is shown. */
  shownBody(): Locator {
    return this.client.getByRole('region', { name: 'Response', exact: true }).getByRole('region', { name: 'Body' })
  }

  sendButton({ method, path }: DocumentedOperation): Locator {
    return this.client.getByRole('button', { name: `Send ${method} request to ${this.#origin}${path}`, exact: true })
  }

  /** The part of the page that is about an operation. */
  #section(operation: DocumentedOperation): Locator {
    return this.#page.locator(`[id$=${JSON.stringify(linkTo(operation).slice(1))}]`)
  }

  /**
   * Selects all, and pastes. If the text was typed, Chromium would remove the example line by line, and compute the styles
   * of the whole page after each line, for seconds.
   */
  async #replaceAll(editor: Locator, text: string): Promise<void> {
    await editor.press('ControlOrMeta+a')
    await editor.evaluate((element, pasted) => {
      // The types of a browser's globals are not known to this program.
      const [Transfer, Clipboard] = ['DataTransfer', 'ClipboardEvent'].map((name) => Reflect.get(globalThis, name))
      const clipboardData = new Transfer()
      clipboardData.setData('text/plain', pasted)
      element.dispatchEvent(new Clipboard('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  }

  #body(): Locator {
    return this.client.getByRole('region', { name: 'Request Body', exact: true })
  }

  #row(name: string): Locator {
    return this.client.getByRole('row', { name: new RegExp(`^Include ${name} in request`) })
  }

  /** Waits until the page has nothing left to do, or has been busy for a while, and a part of it no longer changes. */
  async #waitUntilSettled(place: Locator): Promise<void> {
    const read = () =>
      place.evaluate(
        (element, timeout) =>
          new Promise((resolve) => {
            // The types of a browser's globals are not known to this program.
            const whenIdle = Reflect.get(globalThis, 'requestIdleCallback')
            // A page that draws nothing may never be told that it is idle.
            whenIdle(() => resolve(element.textContent), { timeout })
          }),
        IDLE_TIMEOUT_MS,
      )
    for (let [earlier, now] = [await read(), await read()]; now !== earlier; [earlier, now] = [now, await read()]);
  }

  async #tick(row: Locator): Promise<void> {
    const box = row.getByRole('checkbox')
    if (!(await box.isChecked())) await box.check({ force: true })
  }
}

/** Recognizes the response to a call of the page, after its redirects. */
function isAnswer(response: BrowserResponse, method: string): boolean {
  const isRedirect = response.headers().location !== undefined && response.status() >= 300 && response.status() < 400
  const call = callOf(response)
  return !isRedirect && call.resourceType() === 'fetch' && call.method() === method.toUpperCase()
}

/** The call as the page made it, before any redirects. */
function callOf(response: BrowserResponse): BrowserRequest {
  let request = response.request()
  for (let earlier = request.redirectedFrom(); earlier; earlier = request.redirectedFrom()) request = earlier
  return request
}
