import { doc } from '#doc'
import type { Database } from '../../db/port.ts'
import { isRepresentationWanted, makeValidators, tagContent, validatorHeaders } from '../../http/conditions.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply, WrittenBody } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { writeDocument } from '../../http/pipeline/send-reply.ts'
import { Catalogue } from '../../schemas/catalogue.ts'
import { CATALOGUE_SECONDS, type CatalogueMemory, type WrittenCatalogue } from '../../stores/catalogue.ts'
import { cacheFor } from './cache-headers.ts'
import { selectCatalogue } from './catalogue-queries.ts'

// JSON only, because XML would have an element for each of 70,000 values.
const FORMAT = 'json'

/** All shipped planets in one document. */
export const readCatalogue = defineRoute({
  method: 'get',
  path: '/catalogue',
  operationId: 'getCatalogue',
  tag: 'Planets',
  summary: 'Get the catalogue',
  description: doc(
    'Returns all planets that come with the service in one document of about 0.7 MB, for pages and programs that show all of them. The planets are in order of id, and in columns: each property has a list of its values. `GET /planets/{planetId}` returns everything about one planet. Planets of users are not in the catalogue.',
  ),
  since: '2.0.0',
  formats: [FORMAT],
  security: [],
  // There is no Last-Modified, because the time of the newest change would stay the same if a planet were removed.
  responses: {
    200: { description: doc('The catalogue'), schema: Catalogue, headers: ['ETag'] },
    304: { description: doc('The catalogue has not changed'), headers: ['ETag'] },
  },
  problems: ['precondition-failed'],
  async handle(_, context) {
    const { bytes, etag, cacheHeaders } = await obtainCatalogue(context)
    const validators = makeValidators({ etag }, context)
    const headers = { ...validatorHeaders(validators), ...cacheHeaders }
    if (!isRepresentationWanted(context.headers, validators, context.now)) return reply(304, undefined, headers)
    return reply(200, new WrittenBody<Catalogue>(FORMAT, bytes), headers)
  },
})

/** A catalogue, and the headers that say how long caches may keep it. */
type ObtainedCatalogue = WrittenCatalogue & { cacheHeaders: Record<string, string> }

/** How long a request waits before it checks again whether another request has read the catalogue. */
const POLL_MS = 10

/**
 * The catalogue from memory or, if memory does not have it, from the database. Only one request of an isolate reads it
 * at a time, because each read needs several megabytes. Other requests poll the memory, because in this runtime a
 * request cannot await the work of another request.
 */
export async function obtainCatalogue(context: RequestContext): Promise<ObtainedCatalogue> {
  const { services, session } = context
  const { catalogue: memory } = services
  if (!memory) return { ...(await writeCatalogue(await selectCatalogue(session.db))), cacheHeaders: {} }
  for (;;) {
    const now = services.now()
    const kept = memory.findDocument(now)
    if (kept) return { ...kept.value, cacheHeaders: cacheFor(kept.remainingSeconds) }
    if (!memory.isDocumentBeingRead(now)) return await readIntoMemory(memory, session.db, now)
    await services.wait(POLL_MS)
  }
}

/** Reads the catalogue from the database, and keeps it in memory if it could be read. */
async function readIntoMemory(memory: CatalogueMemory, db: Database, now: Date): Promise<ObtainedCatalogue> {
  let document: WrittenCatalogue | undefined
  memory.beginDocument(now)
  try {
    document = await writeCatalogue(await selectCatalogue(db))
    return { ...document, cacheHeaders: cacheFor(CATALOGUE_SECONDS) }
  } finally {
    memory.endDocument(document, now)
  }
}

/** Writes the catalogue as JSON, and adds its entity tag. */
async function writeCatalogue(content: Catalogue): Promise<WrittenCatalogue> {
  const bytes = new TextEncoder().encode(writeDocument(content, Catalogue, FORMAT))
  return { content, bytes, etag: await tagContent(bytes, FORMAT) }
}
