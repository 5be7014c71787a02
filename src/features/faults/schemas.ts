import * as z from 'zod'
import { doc } from '#doc'
import { isPlatformHeader } from '../../lib/http.ts'
import { parsePointer } from '../../lib/json-pointer.ts'
import { DateTime } from '../../schemas/fields.ts'
import { PageQuery, pageOf } from '../../schemas/page.ts'
import { CHANGES, isKeywordKind, KINDS, LABELS } from './actions.ts'
import {
  AT_MAX,
  CUT_MAX_BYTES,
  HEADERS_MAX,
  HELD_SECONDS_MAX,
  REQUESTS_MAX,
  RETRY_MAX_SECONDS,
  RULES_MAX,
  SEED_MAX,
  STEPS_MAX,
  TIMES_MAX,
  VALUE_MAX,
} from './limits.ts'

const whole = (least: number, most: number) => z.int().min(least).max(most)
const seconds = z.number().min(0).max(HELD_SECONDS_MAX)

/** Registry: what an answer can be made to do. A step has one of them. */
export const ACTIONS = ['status', 'drop', ...CHANGES] as const

const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'sec-websocket-protocol']

/** Why rules do not read a header: the owner of the rules would see the credentials or the addresses of others. */
function reasonAgainst(header: string): string | undefined {
  const name = header.toLowerCase()
  if (CREDENTIAL_HEADERS.includes(name)) return 'can carry a credential'
  return isPlatformHeader(name) ? 'is no header that clients send' : undefined
}

const RetryAfter = z
  .strictObject({
    seconds: whole(0, RETRY_MAX_SECONDS).optional(),
    date: whole(0, RETRY_MAX_SECONDS)
      .meta({ description: doc('An HTTP-date: the first whole second more than so many seconds ahead') })
      .optional(),
  })
  .check(({ value, issues }) => {
    if ((value.seconds === undefined) === (value.date === undefined)) {
      issues.push({ code: 'custom', message: 'must have either seconds or date', input: value, path: [] })
    }
  })
  .meta({ id: 'FaultRetryAfter', description: doc('The header `Retry-After` of the answer') })

const stepShape = {
  delay: seconds.meta({ description: doc('Seconds before anything is handled'), examples: [2] }).optional(),
  status: whole(400, 599)
    .meta({
      description: doc(
        'Nothing is read or done. The answer is the documented example, or else the problem `injected`.',
      ),
      examples: [503],
    })
    .optional(),
  retryAfter: RetryAfter.optional(),
  drop: z
    .enum(['request', 'response'])
    .meta({ id: 'FaultDrop', description: doc('No byte comes back. With `request`, the work is not done') })
    .optional(),
  slow: seconds.meta({ description: doc('The body comes in ten parts over so many seconds') }).optional(),
  cut: whole(0, CUT_MAX_BYTES)
    .meta({ description: doc('The connection breaks after so many bytes of the body') })
    .optional(),
  label: z
    .enum(LABELS)
    .meta({ id: 'FaultLabel', description: doc('The JSON body under a wrong type, charset or coding') })
    .optional(),
  violate: z
    .enum(KINDS)
    .meta({ id: 'FaultViolation', description: doc('How the JSON answer breaks this document') })
    .optional(),
  at: z
    .string()
    .max(AT_MAX)
    .regex(/^[ -~]*$/, 'must be ASCII')
    .refine((pointer) => parsePointer(pointer) !== undefined || pointer === '', 'must be a JSON Pointer')
    .meta({
      description: doc('Where a keyword fails. Without it, at the first place where it can'),
      examples: ['/name'],
    })
    .optional(),
}

type StepShape = z.infer<z.ZodObject<typeof stepShape>>

function oneAction({ value, issues }: z.core.ParsePayload<StepShape>): void {
  const refuse = (member: string, message: string) =>
    issues.push({ code: 'custom', message, input: value, path: [member] })
  const [, second] = ACTIONS.filter((name) => value[name] !== undefined)
  if (second) refuse(second, `a step can have only one of ${ACTIONS.join(', ')}`)
  if (value.retryAfter && value.status === undefined) refuse('retryAfter', 'needs a status')
  if (value.at !== undefined && !(value.violate && isKeywordKind(value.violate)))
    refuse('at', 'needs violate with a keyword')
}

const FaultAction = z
  .strictObject(stepShape)
  .check(oneAction)
  .meta({ id: 'FaultAction', description: doc('What happens to a request') })

const FaultStep = z
  .strictObject({
    times: whole(1, TIMES_MAX)
      .meta({ description: doc('How many requests take this step: 1 by default') })
      .optional(),
    ...stepShape,
  })
  .check(oneAction)
  .meta({ id: 'FaultStep', description: doc('What happens to the next requests of a key') })

const Chance = z
  .strictObject({
    probability: z.number().min(0).max(1),
    seed: z
      .string()
      .min(1)
      .max(SEED_MAX)
      .meta({ description: doc('The same seed makes the same choices in every run') }),
    step: FaultAction,
  })
  .meta({ id: 'FaultChance', description: doc('A step that applies to some requests') })

const Limit = z
  .strictObject({
    requests: whole(1, REQUESTS_MAX),
    seconds: whole(1, RETRY_MAX_SECONDS),
    form: z
      .enum(['seconds', 'date'])
      .meta({ id: 'FaultRetryForm', description: doc('How `Retry-After` is written: seconds by default') })
      .optional(),
  })
  .meta({ id: 'FaultLimit', description: doc('A rate limit of each key. Further requests get 429.') })

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'must be the name of a header')

const Match = z
  .strictObject({
    method: z
      .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'COPY'])
      .meta({ id: 'FaultMethod', description: doc('A method of operations') })
      .optional(),
    path: z
      .string()
      .min(1)
      .max(VALUE_MAX)
      .meta({
        description: doc('A path of this document, such as `/planets/{planetId}`, or a prefix, such as `/planets/*`'),
        examples: ['/planets/{planetId}'],
      })
      .optional(),
    header: z
      .record(headerName, z.string().max(VALUE_MAX))
      .meta({
        description: doc(
          'Headers with the values that they must have. None can be one for credentials, or one that the platform adds.',
        ),
      })
      .optional(),
  })
  .meta({
    id: 'FaultMatch',
    description: doc('Which requests the rule decides. Without it, all documented operations'),
  })

const ruleShape = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,60}$/, 'must have 1 to 60 of A-Z, a-z, 0-9, dot, underscore and hyphen')
    .meta({ examples: ['busy'] }),
  match: Match.optional(),
  key: z
    .string()
    .regex(
      /^(?:rule|path|header:[\w!#$%&'*+.^`|~-]{1,100})$/,
      'must be rule, path or header: with the name of a header',
    )
    .meta({
      description: doc(
        'Which requests count together: all of the rule (`rule`, the default), those of a `path`, or those with the same value of a header (`header:NAME`)',
      ),
      examples: ['path'],
    })
    .optional(),
  steps: z.array(FaultStep).min(1).max(STEPS_MAX).optional(),
  // biome-ignore lint/suspicious/noThenProperty: the contract names it so, and nobody awaits a rule
  then: z
    .enum(['pass', 'last', 'repeat'])
    .meta({
      id: 'FaultThen',
      description: doc(
        'What comes after the last step: requests `pass` (the default), take the `last` step, or `repeat` all',
      ),
    })
    .optional(),
  chance: Chance.optional(),
  limit: Limit.optional(),
  announce: z
    .boolean()
    .meta({ description: doc('Whether answers have the header `Galaxy-Fault`: true by default') })
    .optional(),
}

type RuleShape = z.infer<z.ZodObject<typeof ruleShape>>

const KINDS_OF_RULES = ['steps', 'chance', 'limit'] as const

function soundRule({ value, issues }: z.core.ParsePayload<RuleShape>): void {
  const refuse = (path: string[], message: string) => issues.push({ code: 'custom', message, input: value, path })
  const given = KINDS_OF_RULES.filter((name) => value[name] !== undefined)
  if (given.length === 0) refuse([], `must have one of ${KINDS_OF_RULES.join(', ')}`)
  if (given[1]) refuse([given[1]], `a rule can have only one of ${KINDS_OF_RULES.join(', ')}`)
  if (value.then !== undefined && !value.steps) refuse(['then'], 'needs steps')
  const names = Object.keys(value.match?.header ?? {})
  if (names.length > HEADERS_MAX) refuse(['match', 'header'], `can have at most ${HEADERS_MAX} headers`)
  for (const name of names) {
    const reason = reasonAgainst(name)
    if (reason) refuse(['match', 'header', name], reason)
  }
  const reason = reasonAgainst(value.key?.replace(/^header:/, '') ?? '')
  if (reason) refuse(['key'], reason)
}

const FaultRule = z
  .strictObject(ruleShape)
  .check(soundRule)
  .meta({ id: 'FaultRule', description: doc('A rule: which requests fail, and how') })

export type FaultRule = z.infer<typeof FaultRule>
export type FaultStep = StepShape & { times?: number | undefined }

const EXAMPLE_RULE = {
  name: 'busy',
  match: { method: 'GET', path: '/planets/{planetId}' },
  key: 'path',
  steps: [{ times: 2, status: 503, retryAfter: { seconds: 1 } }],
}

/** The rules of a universe, as they are sent. */
export const FaultRules = z
  .strictObject({ rules: z.array(FaultRule).max(RULES_MAX) })
  .check(({ value, issues }) => {
    const names = value.rules.map(({ name }) => name)
    names.forEach((name, index) => {
      if (names.indexOf(name) === index) return
      issues.push({
        code: 'custom',
        message: 'another rule has this name',
        input: name,
        path: ['rules', index, 'name'],
      })
    })
  })
  .meta({
    id: 'FaultRules',
    description: doc('The rules of a universe. The first one that matches a request decides it.'),
    xml: { name: 'faults' },
    examples: [{ rules: [EXAMPLE_RULE] }],
  })

const count = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] })

/** The rules with what they have done. */
export const CountedFaultRules = z
  .object({
    rules: z.array(
      z
        .object({
          ...ruleShape,
          requests: count(doc('How many requests it decided'), 3),
          keys: count(doc('How many keys it remembers'), 1),
          applied: count(doc('To how many of the requests it did something'), 2),
          early: count(doc('How many of the requests came before the time in the last `Retry-After` of their key'), 0),
        })
        .meta({ id: 'CountedFaultRule', description: doc('A rule with what it has done') }),
    ),
  })
  .meta({
    id: 'CountedFaultRules',
    description: doc('The rules of a universe with what they have done'),
    xml: { name: 'faults' },
    examples: [{ rules: [{ ...EXAMPLE_RULE, requests: 3, keys: 1, applied: 2, early: 0 }] }],
  })

const ACTION_NAMES = ['delay', ...ACTIONS, 'limit'] as const
export type ActionName = (typeof ACTION_NAMES)[number]

const Attempt = z
  .object({
    rule: z.string(),
    key: z.string().meta({ description: doc('Empty if all requests of the rule count together') }),
    attempt: z.int().meta({ description: doc('The number of the request in its key, from 1') }),
    at: DateTime.meta({ description: doc('When the request came') }),
    sincePrevious: z
      .int()
      .nullable()
      .meta({ description: doc('Milliseconds since the one before with this key') }),
    method: z.string(),
    path: z.string().meta({ description: doc('Below the base URL, without the query') }),
    requestId: z.string(),
    idempotencyKey: z.string().nullable(),
    action: z
      .enum(ACTION_NAMES)
      .meta({ id: 'FaultActionName', description: doc('What was done to a request') })
      .nullable(),
    applied: z.boolean(),
    status: z
      .int()
      .nullable()
      .meta({ description: doc('Null if no head was sent, or not yet') }),
    early: z
      .boolean()
      .meta({ description: doc('Whether it came before the time in the last `Retry-After` of its key') }),
  })
  .meta({ id: 'FaultAttempt', description: doc('A request that a rule decided') })

export type FaultAttempt = z.infer<typeof Attempt>

export const AttemptPage = pageOf(Attempt).meta({
  id: 'FaultAttemptPage',
  description: doc('A page of the requests that rules have decided'),
  xml: { name: 'attempts' },
  examples: [
    {
      data: [
        {
          rule: 'busy',
          key: '/planets/1',
          attempt: 1,
          at: '2026-01-15T14:30:00.250Z',
          sincePrevious: null,
          method: 'GET',
          path: '/planets/1',
          requestId: '123e4567-e89b-42d3-a456-426614174000',
          idempotencyKey: null,
          action: 'status',
          applied: true,
          status: 503,
          early: false,
        },
      ],
      meta: { limit: 10, offset: 0, total: 1, next: null },
    },
  ],
})

export const AttemptQuery = PageQuery.extend({
  rule: z
    .string()
    .meta({ description: doc('Only attempts of this rule'), examples: ['busy'] })
    .optional(),
  key: z
    .string()
    .meta({ description: doc('Only attempts with this key'), examples: ['/planets/1'] })
    .optional(),
})
export type AttemptQuery = z.infer<typeof AttemptQuery>
