import { type Accept, parseAccept } from 'hono/utils/accept'

/** A media range of the header `Accept`, with its weight and parameters. */
export type MediaRange = Accept

/** Reads the header `Accept`: its media ranges, the heaviest first (RFC 9110, 12.5.1). The laboratory reads it too. */
export function readAccept(field: string): MediaRange[] {
  return parseAccept(field)
}
