import type * as z from 'zod'
import type { Fault } from '../domain/problems.ts'
import { toDouble } from '../lib/doubles.ts'
import { pointerTo } from '../lib/objects.ts'
import { SPACE } from './characters.ts'
import { decodeName } from './names.ts'
import { type Shape, shapeOf } from './shape.ts'
import { type Element, parseTree } from './tree.ts'

export interface DecodedXml {
  /** The value that the same document would have in JSON. It is not validated yet. */
  value: unknown
  /** The faults that are possible only in XML. */
  faults: Fault[]
}

type Path = readonly PropertyKey[]

/**
 * The schema says which type each element has. The name of the root element is ignored. A text that does not fit the
 * schema is returned unchanged, so that validation can report it.
 *
 * @throws ProblemError 400 if the document cannot be parsed
 */
export function decodeXml(text: string, schema: z.core.$ZodType): DecodedXml {
  const faults: Fault[] = []
  const value = decode(parseTree(text), shapeOf(schema), [], faults)
  return { value, faults }
}

/** The value of an element that has a shape. Adds faults to `faults`. */
function decode(element: Element, shape: Shape, path: Path, faults: Fault[]): unknown {
  const { isNil, text, children } = element
  if (isNil) {
    if (!BLANK.test(text) || children.length > 0)
      faults.push({ pointer: pointerTo(path), detail: 'has xsi:nil="true" but is not empty' })
    return null
  }
  // A list has no element of its own, so this element is one item.
  if (shape.kind === 'list') return decode(element, shape.item, path, faults)
  if (shape.kind === 'object' && shape.isTextToo && children.length === 0) return text
  if (shape.kind === 'object' || children.length > 0) return decodeObject(element, shape, path, faults)
  if (shape.kind === 'number') return decodeNumber(text)
  if (shape.kind === 'boolean') return decodeBoolean(text)
  return text
}

function decodeObject({ text, children }: Element, shape: Shape, path: Path, faults: Fault[]): object {
  if (!BLANK.test(text)) faults.push({ pointer: pointerTo(path), detail: 'has text in addition to its elements' })
  const values = new Map<string, unknown>()
  for (const [name, elements] of Map.groupBy(children, (child) => decodeName(child.name))) {
    const member = memberOf(shape, name)
    const memberPath = [...path, name]
    if (member.kind === 'list') {
      values.set(
        name,
        elements.map((item, index) => decode(item, member.item, [...memberPath, index], faults)),
      )
      continue
    }
    const [first, second] = elements.map((item) => decode(item, member, memberPath, faults))
    if (second !== undefined) {
      faults.push({ pointer: pointerTo(memberPath), detail: 'must appear only once' })
    }
    values.set(name, first)
  }
  // This makes `__proto__` an ordinary property, which is then rejected like any other unknown property.
  return Object.fromEntries(values)
}

/** A member that the schema does not know can be anything. */
function memberOf(shape: Shape, name: string): Shape {
  if (shape.kind !== 'object') return { kind: 'any' }
  return shape.members.get(name) ?? shape.others
}

const BLANK = new RegExp(`^${SPACE}*$`)
// A double of XML Schema Part 2, section 3.2.5, without INF and NaN.
const NUMBER = new RegExp(`^${SPACE}*([+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?)${SPACE}*$`)
// The group matches only if the value is true.
const BOOLEAN = new RegExp(`^${SPACE}*(?:(true|1)|false|0)${SPACE}*$`)

function decodeNumber(text: string): number | string {
  const [, number] = NUMBER.exec(text) ?? []
  return number === undefined ? text : toDouble(number)
}

function decodeBoolean(text: string): boolean | string {
  const match = BOOLEAN.exec(text)
  return match ? match[1] !== undefined : text
}
