import * as z from 'zod'

/** The part of a schema that is needed to read an element, because an element itself does not show its type. */
export type Shape =
  | { kind: 'text' | 'number' | 'boolean' | 'any' }
  | { kind: 'list'; item: Shape }
  /** `others`: for members that the schema does not name. `isTextToo`: an element without children is a text. */
  | { kind: 'object'; members: ReadonlyMap<string, Shape>; others: Shape; isTextToo?: boolean }

const ANY: Shape = { kind: 'any' }
/** The shapes that `shapeOf` has already found. */
const shapes = new WeakMap<z.core.$ZodType, Shape>()

/** The shape of a schema's input. It is cached for the next call. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  const cached = shapes.get(schema)
  if (cached) return cached
  const shape = findShape(schema)
  shapes.set(schema, shape)
  return shape
}

function findShape(schema: z.core.$ZodType): Shape {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return shapeOf(schema.unwrap())
  if (schema instanceof z.ZodArray) return { kind: 'list', item: shapeOf(schema.element) }
  if (schema instanceof z.ZodObject) return objectShape(schema)
  const { type } = schema._zod.def
  if (type === 'string' || type === 'enum') return { kind: 'text' }
  if (schema instanceof z.ZodLiteral && typeof schema.value === 'string') return { kind: 'text' }
  if (type === 'number' || type === 'boolean') return { kind: type }
  if (type === 'unknown') return ANY
  if (schema instanceof z.ZodDefault) return shapeOf(schema.unwrap())
  if (schema instanceof z.ZodUnion) return mergeShapes(schema.options.map(shapeOf))
  throw new Error(`the XML codec does not support schemas of the type ${type}`)
}

function objectShape({ shape, _zod: { def } }: z.ZodObject): Shape {
  const members = Object.entries(shape).map(([name, member]) => [name, shapeOf(member)] as const)
  const { catchall } = def
  const others = catchall && catchall._zod.def.type !== 'never' ? shapeOf(catchall) : ANY
  return { kind: 'object', members: new Map(members), others }
}

/**
 * The shape of a union of objects, or of objects and texts. It has the members of all objects, because validation
 * chooses one only after the document was read.
 */
function mergeShapes(choices: readonly Shape[]): Shape {
  const members = new Map<string, Shape>()
  const texts = choices.filter(({ kind }) => kind === 'text')
  if (texts.length === choices.length) return { kind: 'text' }
  for (const choice of choices) {
    if (choice.kind === 'text') continue
    if (choice.kind !== 'object') throw new Error('the XML codec only supports unions of objects and texts')
    for (const [name, shape] of choice.members) {
      const earlierShape = members.get(name)
      if (earlierShape && earlierShape.kind !== shape.kind)
        throw new Error(`the objects of a union have different kinds of values for the member ${name}`)
      members.set(name, shape)
    }
  }
  return { kind: 'object', members, others: ANY, isTextToo: texts.length > 0 }
}
