import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import publicDocument from '@scalar/galaxy/3.1.json' with { type: 'json' }
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { compareDocuments } from '../support/superset.ts'
import { lint } from './linter.ts'

const file = join(ROOT, 'openapi.json')
const COMMON = readFileSync(file, 'utf8')
/** Prints the document of a universe. */
const SCRIPT = [join(ROOT, 'scripts/openapi.ts'), '--universe']
const MAX_BYTES = 10_000_000
const UNIVERSE = execFileSync(process.execPath, SCRIPT, { encoding: 'utf8', maxBuffer: MAX_BYTES })

describe.each([
  { world: 'the common world', text: COMMON },
  { world: 'a universe', text: UNIVERSE },
])('the document of $world', ({ text }) => {
  const document = JSON.parse(text)

  it('is accepted by the linter with the stricter rules, without a warning', async () => {
    expect(await lint(text)).toEqual([])
  })

  it('is accepted by the schema of OpenAPI 3.1 itself', async () => {
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })
})

/** What the public document contains and ours does not, and why. */
const ACCEPTED = [
  [
    /: [45]\d\d application\/(?:json|xml)\b/,
    'errors are application/problem+json and application/problem+xml (RFC 9457)',
  ],
  [/ has the format float$/, 'the service keeps doubles, and a client that believed float would lose digits'],
  [
    / \w+\.status has the format int64$/,
    'a status is small, and with int64 the Rust client of openapi-generator expects a text for an enum of one number',
  ],
  [/^component responses /, 'responses of problems end with Problem, and what few operations answer stands there'],
  [/^component headers /, 'names of components are identifiers, such as XRequestID'],
  [/^webhook .*: tag Planets$/, 'webhooks have a tag of their own, because generators write one file for each tag'],
  [/: request application\/(?:json|xml)\.id: x-variable/, 'ignored in requests'],
  [
    /: request application\/(?:json|xml)\.satellites\[\]\.(?:id|orbit\.planet)(?: has the format int64)?$/,
    'ignored in requests',
  ],
  [/: request application\/(?:json|xml)\.creator\./, 'ignored in requests'],
  [/\borbit\.planet\./, 'a satellite refers to its planet by id and name, never by all of it'],
  [
    /(?:component schemas|schema) PaginatedResource/,
    'each list has a plain schema, because few tools understand $dynamicRef',
  ],
  [/header Location has the format uri$/, 'some redirects lead to a path, so it is a uri-reference'],
  [/header Last-Modified has the format date-time$/, 'an HTTP-date (RFC 9110, section 5.6.7) is no date-time'],
  [
    /callback planetCreationFailed .*: request application\/json\./,
    'what was refused may hold anything in its members',
  ],
] as const

describe('it is a superset of the public document', () => {
  const missing = compareDocuments(publicDocument, JSON.parse(COMMON))

  it('except for accepted differences', () => {
    expect(missing.filter((feature) => !ACCEPTED.some(([pattern]) => pattern.test(feature)))).toEqual([])
  })

  it.each(ACCEPTED)('%s: %s', (pattern) => {
    expect(missing.filter((feature) => pattern.test(feature))).not.toEqual([])
  })
})
