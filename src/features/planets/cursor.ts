import * as z from 'zod'
import { ProblemError } from '../../domain/problems.ts'
import { sha256 } from '../../lib/sha256.ts'
import { Id } from '../../schemas/fields.ts'
import type { PlanetSort } from '../../schemas/planet-query.ts'
import type { Services } from '../../services.ts'
import type { PlanetFilter, PlanetPosition } from '../../stores/planet-search.ts'

// A cursor is the position of the last planet of a page, and a digest of it together with the filter and the world. So
// it goes on in the same list only. It is no secret: whoever makes one only chooses where a page begins.

const DIGEST_BYTES = 12
const BASE64URL = { alphabet: 'base64url' } as const

/** The list in which a cursor goes on: a filter, in a world, until its next reset. */
export interface CursorList {
  filter: PlanetFilter
  services: Pick<Services, 'worldId' | 'era'>
}

/** The same position in the same list is always the same text. */
export async function writeCursor(list: CursorList, { key = null, id }: PlanetPosition): Promise<string> {
  const content = new TextEncoder().encode(JSON.stringify([key, id]))
  const digest = await digestOf(list, content)
  return new Uint8Array([...digest, ...content]).toBase64({ ...BASE64URL, omitPadding: true })
}

/** @throws ProblemError 400 if it is not a cursor of this list */
export async function readCursor(list: CursorList, cursor: string): Promise<PlanetPosition> {
  const bytes = bytesOf(cursor)
  const content = bytes.subarray(DIGEST_BYTES)
  const digest = await digestOf(list, content)
  if (content.length === 0 || !digest.every((byte, index) => byte === bytes[index])) throw foreignCursor()
  // The digest has no key, so anybody can make one for any content.
  const position = POSITIONS[list.filter.sort ?? 'id'].safeParse(parse(content))
  if (!position.success) throw foreignCursor()
  const [key, id] = position.data
  return list.filter.sort === undefined ? { key: undefined, id } : { key, id }
}

const BY_NAME = z.tuple([z.string(), Id])
const BY_INDEX = z.tuple([z.number(), Id])
/** Registry: the content of a cursor for each order: what is compared before the id, and the id. */
const POSITIONS: Readonly<Record<PlanetSort | 'id', z.ZodType<[string | number | null, number]>>> = {
  id: z.tuple([z.null(), Id]),
  name: BY_NAME,
  '-name': BY_NAME,
  habitabilityIndex: BY_INDEX,
  '-habitabilityIndex': BY_INDEX,
}

/** The value of a JSON text; undefined if it is none. */
function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(content))
  } catch {
    return undefined
  }
}

/** The bytes of a cursor; none if the text is not the one that they are written as. */
function bytesOf(cursor: string): Uint8Array {
  try {
    const bytes = Uint8Array.fromBase64(cursor, BASE64URL)
    return bytes.toBase64({ ...BASE64URL, omitPadding: true }) === cursor ? bytes : new Uint8Array()
  } catch {
    return new Uint8Array()
  }
}

async function digestOf({ filter, services }: CursorList, content: Uint8Array): Promise<Uint8Array> {
  const { name, types, minHabitabilityIndex = null, sort = null } = filter
  // The name matches without case, so its case makes no other list.
  const lowerName = name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const list = JSON.stringify([
    services.worldId ?? null,
    services.era?.tag ?? null,
    lowerName,
    types,
    minHabitabilityIndex,
    sort,
  ])
  const listBytes = new TextEncoder().encode(list)
  return (await sha256(new Uint8Array([...listBytes, ...content]))).subarray(0, DIGEST_BYTES)
}

function foreignCursor(): ProblemError {
  return new ProblemError('invalid-query', 'The cursor does not belong to this list.', {
    faults: [
      {
        pointer: '/cursor',
        detail:
          'must be a meta.nextCursor of this list, with the same filter and order, in the same world since its last reset',
      },
    ],
  })
}
