import type { JsonValue } from '../../lib/json.ts'
import { escapeText } from '../../xml/characters.ts'
import { writeDocument } from '../../xml/encode.ts'
import { encodeName } from '../../xml/names.ts'

/**
 * Maximum length of a document, in characters. Each item of a list repeats the name of the list, so a small body can
 * become a long document.
 */
const LENGTH_MAX = 16 * 1024 * 1024

/** The name of the element for a member whose name is empty. */
const NO_NAME = '_'

/** The name of the elements of a list inside a list. */
const ITEM = 'item'

/**
 * Writes an object as an XML document with the root `echo`, in the same way as the other documents of the service. Each
 * member is an element with the name of the member. A list is one element for each item. Null is an element with
 * `xsi:nil`.
 *
 * @returns Undefined if the document would be too long
 */
export function writeEchoXml(members: object): string | undefined {
  const writer = new Writer()
  const isComplete = writer.addMembers(Object.entries(members))
  return isComplete ? writeDocument({ name: 'echo' }, writer.text) : undefined
}

/**
 * Writes a document piece by piece. Each method appends to `text`, and returns whether `text` is still short enough.
 */
class Writer {
  text = ''

  addMembers(entries: readonly [string, JsonValue | undefined][]): boolean {
    return entries.every(([name, value]) => this.#addElements(encodeName(name) || NO_NAME, value))
  }

  #addElements(name: string, value: JsonValue | undefined): boolean {
    if (value === undefined) return true
    return Array.isArray(value) ? value.every((item) => this.#addElement(name, item)) : this.#addElement(name, value)
  }

  #addElement(name: string, value: JsonValue): boolean {
    if (value === null) return this.#add(`<${name} xsi:nil="true"/>`)
    return this.#add(`<${name}>`) && this.#addContent(value) && this.#add(`</${name}>`)
  }

  #addContent(value: Exclude<JsonValue, null>): boolean {
    if (typeof value !== 'object') return this.#add(escapeText(String(value)))
    // A number that JavaScript would change is kept as the text that was sent (`parseExactJson`).
    if (JSON.isRawJSON(value)) return this.#add(value.rawJSON)
    return Array.isArray(value) ? this.#addElements(ITEM, value) : this.addMembers(Object.entries(value))
  }

  #add(part: string): boolean {
    this.text += part
    return this.text.length <= LENGTH_MAX
  }
}
