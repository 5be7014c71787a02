import * as z from 'zod'
import { doc } from '#doc'
import { ACCOUNT_LIMIT_NAMES } from '../domain/limits.ts'
import { UNIVERSE_LIMIT_NAMES } from '../domain/universe.ts'
import { PROBLEM_NAMESPACE } from '../xml/encode.ts'

export const ProblemFault = z
  .object({
    pointer: z.string().meta({ description: doc('A JSON Pointer (RFC 6901) to the invalid member of the input') }),
    detail: z.string(),
  })
  .meta({ id: 'Fault', description: doc('What is wrong with one member of the input') })

/** A limit of an account that a request would exceed. */
const AccountLimit = z
  .object({
    name: z
      .enum(ACCOUNT_LIMIT_NAMES)
      .meta({ id: 'AccountLimitName', description: doc('The name of a limit of an account') }),
    used: z.int().meta({ description: doc('How much the account uses now'), examples: [1000] }),
    allowed: z.int().meta({ description: doc('How much an account can use'), examples: [1000] }),
  })
  .meta({ id: 'AccountLimit', description: doc('The limit of the account that the request would exceed') })

/** The name of a limit of a universe that a request would exceed. */
const UniverseLimitName = z
  .enum(UNIVERSE_LIMIT_NAMES)
  .meta({ id: 'UniverseLimitName', description: doc('The limit of the universe that the request would exceed') })

const caseIds = (description: string) =>
  z
    .array(z.string())
    .meta({ description, examples: [['query/reserved']] })
    .optional()

/**
 * A problem document (RFC 9457, section 3.1), with one entry in `errors` for each fault of the input. Four types of
 * problems have additional members: in `account-limit-reached`, `limit` is an object; `universe-limit` has the members
 * `limit` (a name), `used` and `allowed`; `lab-gate` has the lists `unexpected`, `missing` and `stale`;
 * `destination-unavailable` has `from` and `to`.
 */
export const Problem = z
  .object({
    type: z.url().meta({ description: doc('The URL of a page that explains this type of problem') }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string().meta({ format: 'uri', description: doc('`urn:uuid:` followed by the id of the request') }),
    errors: z.array(ProblemFault).optional(),
    limit: z
      .union([AccountLimit, UniverseLimitName])
      .meta({
        id: 'ReachedLimit',
        description: doc(
          'The limit that the request would exceed: an object for a limit of the account (`account-limit-reached`), or the name of a limit of the universe (`universe-limit`)',
        ),
      })
      .optional(),
    used: z
      .int()
      .meta({ description: doc('How much the universe uses now (`universe-limit`)'), examples: [1000] })
      .optional(),
    allowed: z
      .int()
      .meta({ description: doc('How much the universe can use (`universe-limit`)'), examples: [1000] })
      .optional(),
    unexpected: caseIds(doc('Cases that failed or were not finished (`lab-gate`)')),
    missing: caseIds(doc('Cases that were never called (`lab-gate`)')),
    stale: caseIds(doc('Cases that should fail, but passed (`lab-gate`)')),
    from: z
      .int()
      .meta({
        description: doc('The first id that a new planet can have now (`destination-unavailable`)'),
        examples: [5403],
      })
      .optional(),
    to: z
      .int()
      .meta({
        description: doc('The last id that a new planet can have now (`destination-unavailable`)'),
        examples: [6402],
      })
      .optional(),
  })
  .meta({
    id: 'Problem',
    description: doc('What went wrong (RFC 9457, the successor of RFC 7807)'),
    xml: { name: 'problem', namespace: PROBLEM_NAMESPACE },
  })

export type Problem = z.infer<typeof Problem>
