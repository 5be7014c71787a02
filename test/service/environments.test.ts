import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'

// Environments of wrangler repeat what they do not inherit. This is what keeps them from drifting apart.

type Config = Record<string, unknown> & { vars: Record<string, string> }

/** What environments do not inherit, of all that the top level of wrangler.toml has. */
const REPEATED = ['vars', 'secrets', 'd1_databases', 'r2_buckets', 'durable_objects', 'ratelimits', 'queues']

/** What environments inherit, or what no environment can have. */
const INHERITED = [
  'main',
  'alias',
  'compatibility_date',
  'compatibility_flags',
  'send_metrics',
  'minify',
  'keep_names',
  'upload_source_maps',
  'observability',
  'triggers',
  'assets',
  'build',
  'migrations',
]

/** Variables that an environment sets in its own way. If you change a variable of one, name it here. */
const OWN_VARIABLES: Record<string, string[]> = { production: [], staging: [] }

const { env, ...top } = parse(await readFile(join(ROOT, 'wrangler.toml'), 'utf8')) as Config & {
  env: Record<string, Config>
}

/** A part of a configuration, with names as the top level has them, and without what belongs to an account. */
function normalise(part: unknown, worker: unknown): unknown {
  return JSON.parse(
    JSON.stringify(part, (key, value) => {
      if (key === 'database_id' || key === 'namespace_id') return undefined
      const isName = ['database_name', 'bucket_name', 'queue', 'dead_letter_queue'].includes(key)
      return isName ? value.replace(new RegExp(`^${worker}`), top.name) : value
    }),
  )
}

it('the top level has nothing of which this test does not know whether environments inherit it', () => {
  expect(Object.keys(top).sort()).toEqual(['name', ...REPEATED, ...INHERITED].sort())
})

it('there are the environments that the documentation names', () => {
  expect(Object.keys(env)).toEqual(Object.keys(OWN_VARIABLES))
})

describe.each(Object.entries(env))('the environment %s', (name, { name: worker, ...config }) => {
  it.each(REPEATED.filter((part) => part !== 'vars'))('has the %s of the top level', (part) => {
    expect(normalise(config[part], worker)).toEqual(normalise(top[part], top.name))
  })

  it('has the variables of the top level', () => {
    expect(Object.keys(config.vars)).toEqual(Object.keys(top.vars))
    for (const variable of Object.keys(top.vars).filter((one) => !OWN_VARIABLES[name]?.includes(one)))
      expect({ [variable]: config.vars[variable] }).toEqual({ [variable]: top.vars[variable] })
  })
})

it('no two environments share a Worker, a database, a bucket, a queue or a counter of writes', () => {
  const names = Object.values(env).map(({ name, d1_databases, r2_buckets, queues, ratelimits }) =>
    JSON.stringify([name, d1_databases, r2_buckets, queues, ratelimits]).match(/"galaxy[^"]*"|"\d+"/g),
  )
  const all = names.flatMap((own) => [...new Set(own)])
  expect(all).toHaveLength(new Set(all).size)
})
