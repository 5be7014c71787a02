import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** An element of XML, with texts as they are. */
export interface XmlElement {
  name: string
  /** The text of an element without children. */
  text: string
  children: XmlElement[]
}

type Node = Record<string, unknown>

const parser = new XMLParser({ preserveOrder: true, ignoreAttributes: true, parseTagValue: false, trimValues: false })

/** @returns The root element, or undefined if the text is not well-formed */
export function parseXml(text: string): XmlElement | undefined {
  if (XMLValidator.validate(text) !== true) return undefined
  const nodes: Node[] = parser.parse(text)
  return nodes.flatMap(toElement)[0]
}

function toElement(node: Node): XmlElement[] {
  const [name] = Object.keys(node)
  if (name === undefined || name === '#text' || name.startsWith('?')) return []
  const content = (node[name] ?? []) as Node[]
  const text = content.map((child) => (typeof child['#text'] === 'string' ? child['#text'] : '')).join('')
  return [{ name, text, children: content.flatMap(toElement) }]
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name)
}

/** The text of the first child that has this name; undefined if no child has it. */
export function textOf(element: XmlElement, name: string): string | undefined {
  return childrenOf(element, name)[0]?.text
}
