import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import publicDocument from '@scalar/galaxy/3.1.json' with { type: 'json' }
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/wrangler.ts'
import { compareDocuments } from '../support/superset.ts'

const text = readFileSync(join(ROOT, 'openapi.json'), 'utf8')
const document = JSON.parse(text)

it('the linter with the stricter rules finds neither an error nor a warning', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: text, config, absoluteRef: join(ROOT, 'openapi.json') })
  expect(problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([])
})

it('the schema of OpenAPI 3.1 itself accepts it', async () => {
  expect(await new Validator().validate(document)).toEqual({ valid: true })
})

/** What the public document has and ours has not, and why. */
const ACCEPTED = [
  [
    /: [45]\d\d application\/(?:json|xml)\b/,
    'errors are application/problem+json and application/problem+xml (RFC 9457)',
  ],
  [
    /component responses (?:ImageUploaded|Conflict|UnprocessableEntity|TooManyRequests)/,
    'what few operations answer stands there',
  ],
  [/: request application\/(?:json|xml)\.id: x-variable/, 'ignored in requests'],
  [/: request application\/(?:json|xml)\.satellites\[\]\.(?:id|orbit\.planet)$/, 'ignored in requests'],
  [/: request application\/(?:json|xml)\.creator\./, 'ignored in requests'],
  [/\borbit\.planet\./, 'a satellite refers to its planet by id and name, never by all of it'],
  [
    /(?:component schemas|schema) PaginatedResource/,
    'each list has a plain schema, because few tools understand $dynamicRef',
  ],
  [
    /callback planetCreationFailed .*: request application\/json\./,
    'what was refused may hold anything in its members',
  ],
] as const

describe('it is a superset of the public document', () => {
  const missing = compareDocuments(publicDocument, document)

  it('but for accepted differences', () => {
    expect(missing.filter((feature) => !ACCEPTED.some(([pattern]) => pattern.test(feature)))).toEqual([])
  })

  it.each(ACCEPTED)('%s: %s', (pattern) => {
    expect(missing.filter((feature) => pattern.test(feature))).not.toEqual([])
  })
})
