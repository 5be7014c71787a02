/** The longest pointer in characters. */
export const AT_MAX = 200
/** After how many bytes a body can be cut at most. */
export const CUT_MAX_BYTES = 1_000_000
/** How long a rule can hold a request. */
export const HELD_SECONDS_MAX = 30
/** The greatest `Retry-After` of a rule, and the longest period of a limit. */
export const RETRY_MAX_SECONDS = 3600
/** How many requests a limit can allow. */
export const REQUESTS_MAX = 1_000_000
export const RULES_MAX = 20
export const STEPS_MAX = 50
/** How many requests can take a step. */
export const TIMES_MAX = 1000
/** The longest seed in characters. */
export const SEED_MAX = 200
/** The longest path or header value in a rule in characters, and how much of a header counts as a key. */
export const VALUE_MAX = 200
/** How many headers a rule can match. */
export const HEADERS_MAX = 10
/** How many keys of a rule are remembered. */
export const KEYS_MAX = 1000
/** How many attempts are listed. */
export const ATTEMPTS_MAX = 10_000
