import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { getDomain } from 'tldts'
import { beforeAll, describe, expect, it } from 'vitest'
import { PublicSuffixes } from '../../../src/domain/public-suffixes.ts'
import { readBuiltFile } from '../../../src/lib/built-file.ts'
import { SuffixList } from '../../../src/stores/suffix-list.ts'

// The list as the build writes it. The library that it is taken from reads it in its own way.

const OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false }

let rules: string[]
let suffixes: PublicSuffixes

beforeAll(async () => {
  const text = await readBuiltFile(env.ASSETS, '/suffixes/public-suffixes.txt')
  rules = text.trimEnd().split('\n')
  suffixes = new PublicSuffixes(rules)
})

// The host itself if it is a public suffix.
const domainOf = (host: string) => [host, suffixes.domainOf(host) ?? host]
const domainElsewhere = (host: string) => [host, getDomain(host, OPTIONS) ?? host]

describe('the registrable domain is the one that the library finds', () => {
  it('at, above and below every rule of the list', () => {
    expect(rules.length).toBeGreaterThan(9_000)
    const hosts = rules.flatMap((rule) => {
      const name = rule.replace(/^!/, '').replace('*', 'any')
      return [name, `a.${name}`, `b.a.${name}`, `c.b.a.${name}`, name.replace(/^[^.]+\./, '')]
    })
    expect(hosts.map(domainOf)).toEqual(hosts.map(domainElsewhere))
  })

  it('for any name', () => {
    const label = fc.constantFrom(
      'a',
      'com',
      'co',
      'uk',
      'ck',
      'www',
      'jp',
      'kobe',
      'city',
      'github',
      'io',
      'localhost',
    )
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 6 }), (labels) => {
        expect(domainOf(labels.join('.'))).toEqual(domainElsewhere(labels.join('.')))
      }),
      { numRuns: 5_000 },
    )
  })
})

it('an exception shortens the suffix that a rule with a star would give', () => {
  const list = new PublicSuffixes(['ck', '*.ck', '!www.ck'])
  expect(['a.b.ck', 'b.ck', 'www.ck', 'a.www.ck'].map((host) => list.domainOf(host))).toEqual([
    'a.b.ck',
    undefined,
    'www.ck',
    'www.ck',
  ])
})

it('the list is read once, and again if it could not be read', async () => {
  let reads = 0
  const assets: Pick<Fetcher, 'fetch'> = {
    fetch: async () => new Response('com\n', { status: reads++ < 2 ? 503 : 200 }),
  }
  // The cast is safe, because the list uses nothing else.
  const list = new SuffixList(assets as Fetcher)
  await expect(list.domainOf('a.b.com')).rejects.toThrow('503')
  expect([await list.domainOf('a.b.com'), await list.domainOf('com')]).toEqual(['b.com', undefined])
  // The first time, it is read twice. What could not be read is not remembered.
  expect(reads).toBe(3)
})
