import { readFile } from 'node:fs/promises'
import { documentFile } from './journey.ts'

/** The parts of the document that this file reads. */
interface Document {
  paths: Record<string, { get?: Operation }>
}

interface Operation {
  operationId: string
  tags: [string]
  servers?: unknown
  security?: Record<string, unknown>[]
  responses: Record<string, { content?: Record<string, unknown> } | undefined>
}

/**
 * The operations that read JSON and need nothing but the token of a user. A program in a language whose generated classes
 * check what they get calls all of them.
 *
 * @returns As JSON, a tag and an id for each
 */
export async function operationsToRead(): Promise<string> {
  const { paths }: Document = JSON.parse(await readFile(documentFile(), 'utf8'))
  const found = Object.entries(paths).flatMap(([path, { get }]) =>
    get && !path.includes('{') && get.servers === undefined && takesToken(get) && returnsJson(get) ? [get] : [],
  )
  return JSON.stringify(found.map(({ tags: [tag], operationId }) => ({ tag: tag.replaceAll(' ', ''), operationId })))
}

function takesToken({ security = [] }: Operation): boolean {
  return security.length === 0 || security.some((one) => 'bearerAuth' in one)
}

function returnsJson({ responses }: Operation): boolean {
  return Object.hasOwn(responses['200']?.content ?? {}, 'application/json')
}
