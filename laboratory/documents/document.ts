import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import type { Version } from '../case.ts'
import { BENCH_PLACEHOLDER, SELF_NAME } from '../files.ts'
import type { Case } from '../suite/declare.ts'
import { GROUP_TITLES, SUITE } from '../suite/suite.ts'
import { describeCase } from './operations.ts'

const DESCRIPTION = `Each operation is a case: a client sends the example of the operation, and the response says whether what arrived is legal and decodes to this value. The response is 200 whatever the verdict. A case of \`response\` has two operations: GET sends a response, and PUT carries what the client decoded. ${EXAMPLE_ORIGIN}/lab explains it and lists all cases.`

const NUMBERS: Readonly<Record<Version, string>> = { '3.2': '3.2.0', '3.1': '3.1.1', '3.0': '3.0.4' }

/** The document of a version with all cases that it can say. */
export function describeBench(cases: readonly Case[], version: Version): object {
  const [is30, is32] = [version === '3.0', version === '3.2']
  const described = cases.flatMap((spec) => {
    const part = describeCase(spec, version)
    return part ? [{ group: spec.group, ...part }] : []
  })
  return {
    openapi: NUMBERS[version],
    ...(is32 && { $self: `${BENCH_PLACEHOLDER}/self/${SELF_NAME}` }),
    info: {
      title: 'Galaxy laboratory',
      version: SUITE.replaceAll('-', '.'),
      description: DESCRIPTION,
      contact: { name: 'Galaxy', url: EXAMPLE_ORIGIN },
      license: { name: 'MIT', ...(is30 ? { url: 'https://opensource.org/license/mit' } : { identifier: 'MIT' }) },
    },
    externalDocs: { description: 'The laboratory', url: `${EXAMPLE_ORIGIN}/lab` },
    servers: [{ url: BENCH_PLACEHOLDER, ...(is32 && { name: 'bench' }), description: 'The bench' }],
    security: [],
    tags: [...new Set(described.map(({ group }) => group))].map((name) => ({
      name,
      description: GROUP_TITLES[name],
      ...(is32 && { kind: 'nav' }),
    })),
    paths: Object.fromEntries(described.map(({ path, item }) => [path, item])),
    components: {
      schemas: Object.assign({ Verdict: verdictIn(version) }, ...described.map(({ schemas }) => schemas)),
    },
  }
}

/** The answer of every case. New members may come, so it is open. */
function verdictIn(version: Version): object {
  const orNull = (type: 'string' | 'integer') =>
    version === '3.0' ? { type, nullable: true } : { oneOf: [{ type }, { type: 'null' }] }
  const described = (schema: object, description: string) => ({ ...schema, description })
  return {
    type: 'object',
    required: ['case', 'level', 'verdict', 'reason', 'at', 'received', 'encoding', 'expected'],
    properties: {
      case: described({ type: 'string' }, 'The id of the case'),
      level: described({ type: 'string' }, '`core`, `extended` or `open`'),
      verdict: described({ type: 'string' }, '`pass`, `non-strict`, `fail` or `info`'),
      reason: described(orNull('string'), 'The difference, or the name of the variant'),
      at: described(orNull('integer'), 'The byte in `received` at which it differs'),
      received: described(
        orNull('string'),
        'The part that was judged, as it came: its first 2,048 bytes. Each byte of a credential of this service is `*`',
      ),
      encoding: described(orNull('string'), '`base64` if `received` is no text'),
      expected: described(orNull('string'), 'The form that we would send'),
    },
    additionalProperties: true,
  }
}
