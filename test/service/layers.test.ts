import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  FEATURES,
  findViolations,
  JUDGE,
  LABORATORY_HELPERS,
  LAYERS,
  PACKAGES,
  SHARED_WITH_BROWSERS,
  type Violation,
} from '../../scripts/lib/layers.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { eachRow } from '../support/each-row.ts'

// Adds imports to a separate source tree, and checks it with the rules of the project.

interface Planted {
  from: string
  /** A file of the tree, or a package. */
  to: string
  isType?: true
}

const isOfTree = (path: string) => /^(?:src|browser|documents|laboratory)\//.test(path)

const [lowest, ...higher] = LAYERS.map((layer) => layer[0] ?? '')
const upwards: Planted[] = [
  ...higher.map((layer) => ({ from: `src/${lowest}/to-${layer}.ts`, to: `src/${layer}.ts` })),
  ...higher.slice(1).map((layer, index) => ({ from: `src/${higher[index]}/up.ts`, to: `src/${layer}.ts` })),
  { from: 'src/stores/services.ts', to: 'src/services.ts' },
  { from: 'src/features/planets/to-app.ts', to: 'src/app.ts' },
  { from: 'src/lib/to-sweep.ts', to: 'src/sweep.ts' },
  { from: 'src/lib/to-a-type.ts', to: 'src/env.ts', isType: true },
]

const basis = Object.entries(FEATURES).flatMap(([feature, lower]) => lower.map((one) => [feature, one] as const))

const REFUSED: (Planted & { rule: RegExp })[] = [
  ...upwards.map((planted) => ({ ...planted, rule: /-imports-a-higher-layer$/ })),
  ...Object.keys(PACKAGES).map((name) => ({
    from: `src/env/to-${name}.ts`,
    to: name,
    rule: new RegExp(`^${RegExp.escape(name)}-outside-its-layers$`),
  })),
  ...['src/features/planets/handler.ts', 'src/features/planets/subqueries.ts', 'src/http/queries.ts'].map((from) => ({
    from,
    to: 'drizzle-orm',
    rule: /^drizzle-orm-outside-its-layers$/,
  })),
  ...['src/features/live/to-queries.ts', 'src/site/to-queries.ts'].map((from) => ({
    from,
    to: 'src/features/planets/catalogue-queries.ts',
    rule: /^queries-of-a-feature$/,
  })),
  ...['src/stores/to-a-session.ts', 'src/universes/to-a-session.ts', 'documents/to-a-session.ts'].map((from) => ({
    from,
    to: 'src/db/session.ts',
    rule: /^past-the-door-of-the-database$/,
  })),
  { from: 'src/features/planets/to-webhooks.ts', to: 'src/features/webhooks/public.ts', rule: /^feature-to-feature$/ },
  { from: 'src/features/accounts/to-planets.ts', to: 'src/features/planets/public.ts', rule: /^feature-to-feature$/ },
  ...Object.keys(FEATURES).map((feature) => ({
    from: `src/features/${feature}/to-accounts.ts`,
    to: 'src/features/accounts/public.ts',
    rule: /^feature-to-feature$/,
  })),
  ...basis.map(([feature, lower]) => ({
    from: `src/features/${lower}/to-${feature}.ts`,
    to: `src/features/${feature}/public.ts`,
    rule: /^feature-to-feature$/,
  })),
  ...['src/universes/to-documents.ts', 'laboratory/judge/to-documents.ts'].map((from) => ({
    from,
    to: 'documents/openapi/code.ts',
    rule: /^service-imports-its-documents$/,
  })),
  { from: 'src/schemas/to-the-file.ts', to: 'documents/doc.ts', rule: /^service-imports-its-documents$/ },
  { from: 'src/site/to-types.ts', to: 'documents/types.ts', isType: true, rule: /^service-imports-its-documents$/ },
  ...['suite', 'documents', 'scoreboard', 'pages'].map((folder) => ({
    from: `src/features/lab/to-${folder}.ts`,
    to: `laboratory/${folder}/code.ts`,
    rule: /^service-imports-more-than-the-judge$/,
  })),
  ...['laboratory/judge/to-lib.ts', 'laboratory/pages/to-lib.ts'].map((from) => ({
    from,
    to: 'src/lib/plain.ts',
    rule: /^laboratory-imports-more-than-helpers$/,
  })),
  { from: 'laboratory/suite/to-design.ts', to: 'src/design/pure.ts', rule: /^laboratory-imports-more-than-helpers$/ },
  { from: 'laboratory/judge/to-hono.ts', to: 'hono', rule: /^laboratory-imports-hono$/ },
  { from: 'src/site/to-browser.ts', to: 'browser/lib/code.ts', rule: /^service-imports-browser-code$/ },
  {
    from: 'src/design/to-browser.ts',
    to: 'browser/lib/types.ts',
    isType: true,
    rule: /^service-imports-browser-code$/,
  },
  ...['http', 'schemas', 'stores', 'env'].map((layer) => ({
    from: `browser/lib/to-${layer}.ts`,
    to: `src/${layer}/public.ts`,
    rule: /^browser-code-imports-the-service$/,
  })),
  { from: 'browser/lib/to-jsx.tsx', to: 'src/design/page.tsx', rule: /^browser-code-imports-the-service$/ },
  {
    from: 'browser/lab/to-judge.ts',
    to: 'laboratory/judge/index.ts',
    rule: /^browser-code-imports-more-than-the-bench$/,
  },
  { from: 'browser/lib/one.ts', to: 'browser/lib/other.ts', rule: /^cycle$/ },
  { from: 'src/elsewhere/file.ts', to: 'src/lib/plain.ts', rule: /^not-in-a-layer$/ },
  { from: 'src/lib/one.ts', to: 'src/lib/other.ts', rule: /^cycle$/ },
  { from: 'src/lib/type-one.ts', to: 'src/lib/type-other.ts', isType: true, rule: /^cycle$/ },
]

const LAWFUL: Planted[] = [
  { from: 'src/lib/other.ts', to: 'src/lib/one.ts' },
  { from: 'src/lib/type-other.ts', to: 'src/lib/type-one.ts', isType: true },
  { from: 'src/features/webhooks/public.ts', to: 'src/lib/plain.ts' },
  { from: 'src/features/webhooks/routes.ts', to: 'src/features/webhooks/public.ts' },
  { from: 'src/features/planets/queries.ts', to: 'drizzle-orm' },
  { from: 'src/features/planets/some-queries.ts', to: 'drizzle-orm' },
  { from: 'src/features/planets/to-queries.ts', to: 'src/features/planets/catalogue-queries.ts' },
  ...['port', 'tables', 'constraints'].map((name) => ({ from: `src/stores/to-${name}.ts`, to: `src/db/${name}.ts` })),
  { from: 'src/db/port.ts', to: 'src/db/session.ts' },
  { from: 'src/http/hono.ts', to: 'hono' },
  { from: 'src/design/hono.tsx', to: 'hono' },
  { from: 'src/site/hono.ts', to: 'hono' },
  { from: 'src/site/to-a-type.ts', to: 'src/features/documents/openapi-types.ts', isType: true },
  { from: 'documents/openapi/to-app.ts', to: 'src/app.ts' },
  { from: 'documents/to-the-laboratory.ts', to: 'laboratory/suite/code.ts' },
  ...JUDGE.map((name) => ({ from: `src/features/lab/to-${name}.ts`, to: `laboratory/${name}.ts` })),
  { from: 'src/features/lab/to-judge.ts', to: 'laboratory/judge/index.ts' },
  ...LABORATORY_HELPERS.map((name) => ({
    from: `laboratory/judge/to-${name.replace('/', '-')}.ts`,
    to: `src/${name}.ts`,
  })),
  { from: 'laboratory/pages/to-design.ts', to: 'src/design/pure.ts' },
  { from: 'src/index.ts', to: 'src/domain/types.ts', isType: true },
  { from: 'src/schemas/to-doc.ts', to: '#doc' },
  { from: 'src/site/to-a-feature.ts', to: 'src/features/planets/public.ts' },
  { from: 'browser/lib/other.ts', to: 'browser/lib/one.ts' },
  { from: 'browser/lib/to-hono.ts', to: 'hono' },
  { from: 'browser/lab/to-bench.ts', to: 'laboratory/bench/code.ts' },
  { from: 'browser/lib/to-a-type.ts', to: 'src/schemas/types.ts', isType: true },
  ...SHARED_WITH_BROWSERS.map((layer) => ({ from: `browser/lib/to-${layer}.ts`, to: `src/${layer}/pure.ts` })),
  ...basis.map(([feature, lower]) => ({
    from: `src/features/${feature}/on-${lower}.ts`,
    to: `src/features/${lower}/public.ts`,
  })),
]

let tree: string
let violations: Violation[]

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'layers-'))
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  const files = new Map([
    ['package.json', JSON.stringify({ imports: { '#doc': './documents/doc.ts' } })],
    ['documents/doc.ts', 'export type T = 1\n'],
  ])
  for (const { from, to, isType } of [...REFUSED, ...LAWFUL]) {
    const specifier = isOfTree(to)
      ? join(
          ...dirname(from)
            .split('/')
            .map(() => '..'),
          to,
        )
      : to
    files.set(from, isType ? `import type { T } from '${specifier}'\nexport type U = T\n` : `import '${specifier}'\n`)
    if (isOfTree(to) && !files.has(to)) files.set(to, 'export type T = 1\n')
  }
  for (const [path, text] of files) {
    await mkdir(dirname(join(tree, path)), { recursive: true })
    await writeFile(join(tree, path), text)
  }
  violations = await findViolations(tree)
})

afterAll(() => rm(tree, { recursive: true }))

const rulesOf = ({ from, to }: Planted) =>
  violations
    .filter((violation) => violation.from === from && (violation.to === to || violation.to.includes(`/${to}/`)))
    .map(({ rule }) => rule)

it('every other import between layers is refused', () =>
  eachRow(REFUSED, (planted) => {
    expect(rulesOf(planted)).toContainEqual(expect.stringMatching(planted.rule))
  }))

it('allowed imports are not refused', () => {
  const lawful = LAWFUL.flatMap(rulesOf).filter((rule) => rule !== 'cycle')
  expect(lawful).toEqual([])
})

it('the alias leads to the only file of documents/ that the service imports', async () => {
  const { imports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  expect(Object.keys(imports).filter((name) => JSON.stringify(imports[name]).includes('documents/'))).toEqual(['#doc'])
})

it('only the alias of a file of documents/ is imported', () => {
  const rules = violations.filter(({ to }) => to === 'documents/doc.ts').map(({ rule, from }) => [rule, from])
  expect(rules).toEqual([['service-imports-its-documents', 'src/schemas/to-the-file.ts']])
})

it('a file that the Worker does not import is refused, unless it imports its types', () => {
  const lone = violations.filter(({ rule }) => rule === 'not-of-the-worker').map(({ from }) => from)
  expect(lone).toContain('src/lib/plain.ts')
  expect(lone).not.toContain('src/domain/types.ts')
})
