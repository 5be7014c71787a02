import * as z from 'zod'
import { doc } from '#doc'
import { VERSIONS } from '../../laboratory/case.ts'
import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import type { GateLists } from '../domain/problems.ts'
import { countCodePoints } from '../lib/text.ts'
import { checkAlways, DateTime, text, Uri } from './fields.ts'

// Runs of the laboratory: what a client sends to the cases is recorded and judged.

export const EXAMPLE_LAB_RUN_ID = 'k3v7q2m5x4b6n7p2r5t6w3y4'

const NAME_MAX = 80
const REASON_MAX = 200
const ENTRIES_MAX = 300
/** The version of the document at `/lab/openapi.json`. */
const DEFAULT_VERSION = '3.1'
const EXAMPLE_TIME = '2026-01-15T14:30:00.000Z'

/** No control characters, and no white space but single spaces between words. */
const VISIBLE = /^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u

const visibleName = (description: string, example: string) =>
  z
    .string()
    .refine(
      (value) => VISIBLE.test(value) && countCodePoints(value) <= NAME_MAX,
      `must have 1 to ${NAME_MAX} visible characters`,
    )
    .meta({ description, minLength: 1, maxLength: NAME_MAX, examples: [example] })

const checkEntries = checkAlways<object>((value, { addIssue }) => {
  if (Object.keys(value).length > ENTRIES_MAX)
    addIssue({ code: 'custom', message: `must have at most ${ENTRIES_MAX} entries` })
})

const reasons = (id: string, description: string) =>
  z
    .record(z.string(), text(1, REASON_MAX))
    .check(checkEntries)
    .meta({ id, description, maxProperties: ENTRIES_MAX, examples: [{ 'query/reserved': 'issue 7' }] })

const Expect = reasons('LabExpectations', doc('Cases that should fail: from the id of each to the reason'))
const Skip = reasons('LabSkips', doc('Cases that do not count: from the id of each, or from `group/*`, to the reason'))

const tool = visibleName(doc('The client that is tested'), 'openapi-fetch')
const version = visibleName(doc('Its version'), '0.15.0')
const openapi = z.enum(VERSIONS, `must be one of ${VERSIONS.join(', ')}`).meta({
  id: 'LabOpenApi',
  description: doc('The version of OpenAPI whose cases count'),
  examples: [DEFAULT_VERSION],
})
const EXAMPLE_INPUT = {
  tool: 'openapi-fetch',
  version: '0.15.0',
  openapi: DEFAULT_VERSION,
  expect: {},
  skip: { 'xml/*': 'no XML' },
}

export const LabRunInput = z
  .strictObject({
    tool,
    version,
    openapi: openapi.default(DEFAULT_VERSION),
    expect: Expect.default({}),
    skip: Skip.default({}),
  })
  .meta({ id: 'LabRunInput', description: doc('A new run of the laboratory'), examples: [EXAMPLE_INPUT] })

export const LabRunChange = z
  .strictObject({
    expect: Expect.optional(),
    skip: Skip.optional(),
    closed: z
      .boolean()
      .refine((isClosed) => isClosed, 'must be true, because a run is never opened again')
      .optional()
      .meta({ description: doc('Closes the run for good. The only value is true'), examples: [true] }),
  })
  .meta({
    id: 'LabRunChange',
    description: doc('What changes in a run. `expect` and `skip` replace what is there.'),
    examples: [{ expect: { 'query/reserved': 'issue 7' } }],
  })

const EXAMPLE_RUN = {
  id: EXAMPLE_LAB_RUN_ID,
  url: `${EXAMPLE_ORIGIN}/lab/runs/${EXAMPLE_LAB_RUN_ID}`,
  suite: '2026-12-15',
  ...EXAMPLE_INPUT,
  closed: false,
  createdAt: EXAMPLE_TIME,
  expiresAt: '2026-01-22T14:30:00.000Z',
}

export const LabRun = z
  .object({
    id: z.string().meta({
      description: doc(
        'An id that nobody can guess. Everybody who knows it can record in the run, read it and delete it.',
      ),
      examples: [EXAMPLE_LAB_RUN_ID],
    }),
    url: Uri.meta({
      description: doc('The bench: the base URL for the client that is tested'),
      examples: [EXAMPLE_RUN.url],
    }),
    suite: z.string().meta({ description: doc('The date of the cases'), examples: [EXAMPLE_RUN.suite] }),
    tool,
    version,
    openapi,
    expect: Expect,
    skip: Skip,
    closed: z.boolean().meta({ description: doc('Whether the run records nothing more'), examples: [false] }),
    createdAt: DateTime,
    expiresAt: DateTime.meta({
      description: doc('When the run is deleted: 7 days after its last record, and 30 days after its creation at most'),
    }),
  })
  .meta({ id: 'LabRun', description: doc('A run of the laboratory'), examples: [EXAMPLE_RUN] })

/** How many cases of a level have each outcome. */
const count = (description: string) => z.int().meta({ description, examples: [1] })
const Counts = z
  .object({
    cases: count(doc('All cases of the level: the sum of the other members')),
    pass: count(doc('Cases that passed')),
    nonStrict: count(doc('Cases that passed only because servers are tolerant')),
    fail: count(doc('Cases that failed')),
    info: count(doc('Cases without a verdict: `open` ones, and what a client may leave undone')),
    incomplete: count(doc('Cases that were begun and not finished')),
    missing: count(doc('Cases that were never called')),
    skipped: count(doc('Cases in `skip`, whether they were called or not')),
  })
  .meta({ id: 'LabCounts', description: doc('How many cases of a level have each outcome') })

const nullableText = (description: string, example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] })

const Result = z
  .object({
    case: z.string().meta({ description: doc('The id of the case'), examples: ['query/form-array'] }),
    level: z
      .enum(['core', 'extended', 'open'])
      .meta({ id: 'LabLevel', description: doc('How firmly a case is specified') }),
    verdict: z
      .enum(['pass', 'non-strict', 'fail', 'info', 'incomplete'])
      .meta({ id: 'LabOutcome', description: doc('What the last request of the case came to') }),
    requests: z.int().meta({ description: doc('How many requests the case has received'), examples: [1] }),
    reason: nullableText(doc('The difference, or what was observed'), 'The body is missing.'),
    at: z
      .int()
      .nullable()
      .meta({ description: doc('The byte of `received` where the difference begins'), examples: [10] }),
    received: nullableText(
      doc(
        'The part that was judged, as it came: its first 2,048 bytes. Each byte of a credential of this service is `*`',
      ),
      'color=blue%2Cblack%2Cbrown',
    ),
    encoding: nullableText(doc('`base64` if `received` is no text'), null),
    expected: nullableText(doc('The form that we would send'), 'color=blue,black,brown'),
    requestId: z.string().meta({ description: doc('The id of the last request'), examples: [EXAMPLE_LAB_RUN_ID] }),
  })
  .meta({ id: 'LabResult', description: doc('A case that was called, and the verdict on its last request') })

const counts = (cases: number, fail: number) => ({
  cases,
  pass: 0,
  nonStrict: 0,
  fail,
  info: 0,
  incomplete: 0,
  missing: cases - fail,
  skipped: 0,
})

export const LabReport = LabRun.extend({
  summary: z
    .object({ core: Counts, extended: Counts, open: Counts })
    .meta({ id: 'LabSummary', description: doc('The outcomes of the cases that count, for each level') }),
  results: z
    .array(Result)
    .meta({ description: doc('The cases that were called, in the order of the catalogue. Some may not count') }),
}).meta({
  id: 'LabReport',
  description: doc('A run of the laboratory, with the verdict on each case that was called'),
  examples: [
    {
      ...EXAMPLE_RUN,
      skip: {},
      summary: { core: counts(93, 1), extended: counts(74, 0), open: counts(15, 0) },
      results: [
        {
          case: 'query/form-array',
          level: 'core',
          verdict: 'fail',
          requests: 1,
          reason:
            'The comma between items of "color" in the query is encoded, so one item arrived: "blue,black,brown".',
          at: 10,
          received: 'color=blue%2Cblack%2Cbrown',
          encoding: null,
          expected: 'color=blue,black,brown',
          requestId: '0a8f4b7e-51c2-4b3e-9a56-2f6d0c8e7b11',
        },
      ],
    },
  ],
})

const ids = (description: string) => z.array(z.string()).meta({ description, examples: [[]] })

/** A gate that a run has passed. */
export const LabGate: z.ZodType<GateLists> = z
  .object({
    unexpected: ids(doc('Cases that failed or were not finished')),
    missing: ids(doc('Cases that were never called')),
    stale: ids(doc('Cases that should fail, but passed')),
  })
  .meta({
    id: 'LabGate',
    description: doc('What keeps a run from passing its gate: nothing, so all lists are empty'),
    examples: [{ unexpected: [], missing: [], stale: [] }],
  })

/** The result of a run, as the endpoint badge of shields.io takes it. */
export const LabBadge = z
  .object({
    schemaVersion: z.int(),
    label: z.string(),
    message: z.string(),
    color: z.string(),
  })
  .meta({
    id: 'LabBadge',
    description: doc('A badge, as the endpoint badge of shields.io takes it'),
    examples: [{ schemaVersion: 1, label: 'API client lab', message: '93 of 93', color: 'brightgreen' }],
  })

/** The path parameter of a run. It is a secret that cannot be guessed. Everybody who knows it may use the run. */
export const LabRunPath = z.object({
  runId: z
    .string()
    .regex(/^[a-z2-7]{24}$/)
    .meta({ description: doc('The id of the run'), examples: [EXAMPLE_LAB_RUN_ID] }),
})

const GateLevel = z
  .enum(['core', 'extended'], 'must be core or extended')
  .meta({ id: 'LabGateLevel', examples: ['core'] })

export const LabGateQuery = z.object({
  level: GateLevel.meta({
    description: doc('Which cases count: `core`, which is the default, or `extended` for both levels'),
  }).optional(),
})

export type LabRun = z.infer<typeof LabRun>
export type LabRunInput = z.infer<typeof LabRunInput>
export type LabReport = z.infer<typeof LabReport>
export type LabResult = z.infer<typeof Result>
export type LabCounts = z.infer<typeof Counts>
