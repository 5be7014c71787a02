/** Bytes of a body that is a document, in any format, and so of whatever can be sent back as it was read. */
export const ENTITY_MAX_BYTES = 256 * 1024
