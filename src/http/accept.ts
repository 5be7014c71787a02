/** Reads the header `Accept`: its media ranges, by their weight (RFC 9110, 12.5.1). The laboratory reads it too. */
export { type Accept, parseAccept } from 'hono/utils/accept'
