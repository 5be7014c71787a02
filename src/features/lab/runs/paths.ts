export const RUNS_PATH = '/lab/runs'
export const RUN_PATH = `${RUNS_PATH}/{runId}`

/** The members that all operations on runs have. Ids of cases are names of members, so there is no XML. */
export const COMMON = { tag: 'Laboratory', since: '2.0.0', security: [], formats: ['json'] } as const
