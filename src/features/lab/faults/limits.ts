/** The longest pointer in characters. */
export const AT_MAX = 200
/** After how many bytes a body can be cut at most. */
export const CUT_MAX_BYTES = 1_000_000
