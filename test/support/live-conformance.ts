import publicDocument from '@scalar/galaxy/asyncapi/3.0.json' with { type: 'json' }
import { expect } from 'vitest'
import { describeEvents } from '../../documents/asyncapi/document.ts'
import { convertSchemas } from '../../documents/openapi/schemas.ts'
import { PlanetStreamItem } from '../../src/schemas/live/stream-item.ts'
import { type FrameOptions, Judge, LiveConformance } from './frame-conformance.ts'

// Compares what arrives on sockets with the documents, and the items of streams with their schema. For tests in the
// Workers runtime; those on Node give a document that was served to `LiveConformance`.

// Each is made when it is first used, because that takes time.
let frames: { own: LiveConformance; shared: LiveConformance } | undefined
let items: { judge: Judge; schema: object } | undefined

/**
 * Fails the test if the AsyncAPI document does not describe a frame that the service has sent, or if the frame is an
 * event that the public document (`@scalar/galaxy`) does not describe.
 *
 * @param channel The name of the channel in the document, such as `planetEvents`
 */
export function expectDocumentedFrame(channel: string, text: string, options?: FrameOptions): void {
  frames ??= { own: new LiveConformance(describeEvents('complete')), shared: new LiveConformance(publicDocument) }
  expect(frames.own.findFaults(channel, text, options), `a frame of ${channel}: ${text}`).toEqual([])
  // The public document has no problems.
  if (channel === 'planetRequest') return
  expect(frames.shared.findFaults(channel, text, options), `for clients of the public document: ${text}`).toEqual([])
}

/**
 * Fails the test if an item of a stream of `GET /planets/events` has not the shape that the OpenAPI document gives it.
 */
export function expectDocumentedItem(item: unknown): void {
  items ??= makeItemJudge()
  expect(items.judge.findFaults(items.schema, item), `an item: ${JSON.stringify(item)}`).toEqual([])
}

function makeItemJudge() {
  const schemas = convertSchemas('output', 'draft-2020-12')
  const schema = schemas[PlanetStreamItem.meta()?.id ?? '']
  if (!schema) throw new Error('the items of streams have no schema')
  return { judge: new Judge(schemas, '2020-12'), schema }
}
