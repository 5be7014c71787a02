import type { Locator, Page } from 'playwright-core'

const FLOWS = ['authorizationCode', 'clientCredentials', 'implicit', 'password']

/** The part of the API reference's client in which the reader chooses credentials. */
export class ReferenceCredentials {
  readonly #page: Page
  readonly #client: Locator

  constructor(page: Page, client: Locator) {
    this.#page = page
    this.#client = client
  }

  /** Chooses this scheme, and no other. */
  async choose(scheme: string): Promise<void> {
    await this.unfold()
    await this.#form()
      .getByRole('button', { name: /Auth Type|No auth/i })
      .click()
    // Found by its attribute, because the browser would compute the role of everything on the page.
    const list = this.#page.locator('[role=listbox]')
    const option = (label: string) => list.getByRole('option', { name: `${label} Delete ${label}`, exact: true })
    await option(scheme).waitFor()
    for (const chosen of await list.getByRole('option', { selected: true }).allInnerTexts()) {
      const label = chosen.split('\n', 1)[0]?.trim() ?? ''
      if (label !== scheme) await option(label).click()
    }
    if ((await option(scheme).getAttribute('aria-selected')) !== 'true') await option(scheme).click()
    // The list stays open for further choices, and Escape would close the client.
    await this.#client.getByRole('region', { name: 'Response', exact: true }).click({ position: { x: 5, y: 5 } })
    await list.waitFor({ state: 'hidden' })
  }

  async unfold(): Promise<void> {
    const heading = this.#client.getByRole('button', { name: /^Authentication/ })
    if ((await heading.getAttribute('aria-expanded')) !== 'true') await heading.click()
  }

  /**
   * @param label The label of the field on the page: Bearer Token, Username, Password, Value, Client ID, Client Secret
   */
  async enter(label: string, value: string): Promise<void> {
    await this.#cell(label).locator('input, [contenteditable=true]').first().fill(value)
  }

  /** Waits until a field has a value. */
  async waitFor(label: string): Promise<void> {
    await this.#cell(label).getByRole('button', { name: 'Clear Value' }).waitFor()
  }

  /** The offered OAuth flows. */
  async listFlows(): Promise<string[]> {
    const buttons = await this.#form().getByRole('button').allInnerTexts()
    return buttons.filter((text) => FLOWS.includes(text))
  }

  async chooseFlow(name: string): Promise<void> {
    await this.#button(name).click()
  }

  async chooseAllScopes(): Promise<void> {
    await this.#button('Select All').click()
  }

  /** Lets the page load the discovery document. */
  async discover(): Promise<void> {
    await this.#button('Fetch Configuration').click()
    await this.#button('Authorize').waitFor()
  }

  /** Requests an access token. @param button The button for it */
  async authorize(button = 'Authorize'): Promise<void> {
    await this.#button(button).click()
  }

  /** Same, if a separate window asks the user. @returns That window */
  async openPopup(button?: string): Promise<Page> {
    const [popup] = await Promise.all([this.#page.waitForEvent('popup'), this.authorize(button)])
    await popup.waitForLoadState()
    return popup
  }

  async waitForToken(): Promise<void> {
    await this.#token().waitFor()
  }

  async hasToken(): Promise<boolean> {
    return await this.#token().isVisible()
  }

  #cell(label: string): Locator {
    const labelled = this.#page.locator('label').filter({ hasText: new RegExp(`^\\s*${label}\\s*$`) })
    return this.#form().locator('td').filter({ has: labelled })
  }

  #token(): Locator {
    return this.#form().getByText('Access Token', { exact: true })
  }

  #button(name: string): Locator {
    return this.#form().getByRole('button', { name, exact: true })
  }

  #form(): Locator {
    return this.#client.getByRole('region', { name: /^Authentication/ })
  }
}
