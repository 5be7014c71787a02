import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'

/** The layers of src/, lowest first. A file imports only from its own layer and lower ones. This includes types. */
export const LAYERS: readonly (readonly string[])[] = [
  ['lib'],
  ['domain'],
  ['xml'],
  ['env', 'schemas'],
  ['events'],
  ['db'],
  ['changes'],
  ['stores'],
  ['auth'],
  ['services'],
  ['design'],
  ['http'],
  ['features'],
  ['site'],
  ['hub'],
  ['app', 'sweep'],
  ['universes'],
  ['index'],
]

/**
 * What the laboratory imports from src/, in which it is a room of its own: its judge is also a library, and what it
 * declares is run by the build alone. Only its pages import `design`.
 */
export const LABORATORY_HELPERS = [
  'domain/example-origin',
  'domain/mask-credentials',
  'http/accept',
  'lib/content-coding',
  'lib/multipart',
  'lib/text',
  'lib/time',
  'xml/characters',
  'xml/tokens',
]

/** What src/ imports from the laboratory: what judges requests. The Worker reads files about the rest. */
export const JUDGE = [
  'anchor',
  'case',
  'content-coding',
  'difference',
  'files',
  'judge',
  'outcome',
  'retry-scripts',
  'rule',
  'step',
]

/**
 * What the code for browsers imports from src/: files without JSX, which know nothing of the Worker. Types may come
 * from anywhere.
 */
export const SHARED_WITH_BROWSERS = ['domain', 'lib', 'design', 'site']

/** What the code for browsers imports from the laboratory: the bench of a page. Types may come from anywhere. */
export const BENCH = ['bench/[^.]+', 'difference', 'rule']

/** What the Worker is bundled with in place of others (`[alias]` in wrangler.toml). Nothing imports them. */
const REPLACEMENTS = ['lib/no-doc']

/** Packages that only these layers import. A file of queries in a feature imports what `stores` imports. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'drizzle-orm': ['db', 'changes', 'stores'],
  jose: ['auth'],
  oauth4webapi: ['auth'],
  'lossless-json': ['lib'],
  pako: ['lib'],
  'ipaddr.js': ['lib', 'domain'],
  hono: ['design', 'http', 'features', 'site', 'app'],
}

/** The files of db/ that other folders import: its door, and what is declared there. */
const DOOR_OF_DATABASE = ['port', 'tables', 'constraints']

/** The features that each feature may import. It imports no others. */
export const FEATURES: Readonly<Record<string, readonly string[]>> = {
  // Its consumer gets all messages of the queue.
  callbacks: ['inboxes', 'observations'],
  deliveries: ['callbacks'],
  webhooks: ['callbacks', 'deliveries'],
  planets: ['callbacks'],
  'celestial-bodies': ['planets'],
  live: ['planets'],
  lab: ['documents', 'faults'],
}

/** The pattern for the paths of layers. A layer is a folder or a file of src/. */
const pathOf = (layers: readonly string[]) => `^src/(${layers.join('|')})(/|\\.ts$)`

const layerRules = LAYERS.slice(0, -1).map((layer, index) => ({
  name: `${layer.join('-and-')}-imports-a-higher-layer`,
  from: { path: pathOf(layer) },
  to: { path: pathOf(LAYERS.slice(index + 1).flat()) },
}))

/** The files with the queries that only their feature needs: `queries.ts`, or `…-queries.ts`. */
const FEATURE_QUERIES = '^src/features/.*[/-]queries\\.ts$'

const packageRules = Object.entries(PACKAGES).map(([name, layers]) => ({
  name: `${name}-outside-its-layers`,
  from: { path: '^src/', pathNot: layers.includes('stores') ? `${pathOf(layers)}|${FEATURE_QUERIES}` : pathOf(layers) },
  to: { path: `node_modules/${name}/` },
}))

const featureRules = Object.entries(FEATURES).map(([feature, basis]) => ({
  name: 'feature-to-feature',
  from: { path: `^src/features/${feature}/` },
  to: { path: '^src/features/', pathNot: `^src/features/(${[feature, ...basis].join('|')})/` },
}))

const RULES: IForbiddenRuleType[] = [
  ...layerRules,
  ...packageRules,
  ...featureRules,
  {
    name: 'past-the-door-of-the-database',
    from: { path: '^(src|documents|laboratory)/', pathNot: '^src/db/' },
    to: { path: '^src/db/', pathNot: `^src/db/(${DOOR_OF_DATABASE.join('|')})\\.ts$` },
  },
  {
    name: 'queries-of-a-feature',
    from: { path: '^src/features/([^/]+)/' },
    to: { path: FEATURE_QUERIES, pathNot: '^src/features/$1/' },
  },
  { name: 'queries-of-a-feature', from: { path: '^src/', pathNot: '^src/features/' }, to: { path: FEATURE_QUERIES } },
  { name: 'not-in-a-layer', from: { path: '^src/', pathNot: pathOf(LAYERS.flat()) }, to: {} },
  {
    name: 'feature-to-feature',
    from: { path: '^src/features/([^/]+)/', pathNot: `^src/features/(${Object.keys(FEATURES).join('|')})/` },
    to: { path: '^src/features/', pathNot: '^src/features/$1/' },
  },
  // The build runs the code of documents/, and the Worker reads the files that it writes. Only `#doc` is imported from
  // there, for which the Worker has a file of its own.
  {
    name: 'service-imports-its-documents',
    from: { path: '^(src|laboratory)/', pathNot: '^laboratory/test/' },
    to: { path: '^documents/', dependencyTypesNot: ['aliased-subpath-import'] },
  },
  {
    name: 'service-imports-more-than-the-judge',
    from: { path: '^src/' },
    to: { path: '^laboratory/', pathNot: `^laboratory/(${JUDGE.join('|')})(/|\\.ts$)` },
  },
  {
    name: 'laboratory-imports-more-than-helpers',
    from: { path: '^laboratory/', pathNot: '^laboratory/(pages|test)/' },
    to: { path: '^src/', pathNot: `^src/(${LABORATORY_HELPERS.join('|')})\\.ts$` },
  },
  {
    name: 'laboratory-imports-more-than-helpers',
    from: { path: '^laboratory/pages/' },
    to: { path: '^src/', pathNot: `^src/(design/|(${LABORATORY_HELPERS.join('|')})\\.ts$)` },
  },
  {
    name: 'laboratory-imports-hono',
    from: { path: '^laboratory/', pathNot: '^laboratory/pages/' },
    to: { path: 'node_modules/hono/' },
  },
  { name: 'service-imports-browser-code', from: { path: '^src/' }, to: { path: '^browser/' } },
  {
    name: 'browser-code-imports-the-service',
    from: { path: '^browser/' },
    to: {
      path: '^src/',
      pathNot: `^src/(${SHARED_WITH_BROWSERS.join('|')})/[^.]+\\.ts$`,
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'browser-code-imports-more-than-the-bench',
    from: { path: '^browser/' },
    to: {
      path: '^laboratory/',
      pathNot: `^laboratory/(${BENCH.join('|')})\\.ts$`,
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'not-of-the-worker',
    from: { path: '^src/index\\.ts$' },
    to: { path: '^src/', pathNot: `^src/(${REPLACEMENTS.join('|')})\\.ts$`, reachable: false },
  },
  { name: 'cycle', from: { path: '^(src|browser|documents|laboratory)/' }, to: { circular: true } },
]

/** An import that breaks a rule. Paths are relative to the root. */
export interface Violation {
  rule: string
  from: string
  to: string
}

/** The folders whose imports are checked. */
const ROOMS = ['src', 'browser', 'documents', 'laboratory']

/** Finds the imports in these folders that break a rule. @param root Absolute path of the folder with all of them */
export async function findViolations(root: string): Promise<Violation[]> {
  const { output } = await cruise(ROOMS, {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: RULES.map((rule) => ({ severity: 'error', ...rule })) },
    // TypeScript 7 has no JavaScript API yet.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
  })
  const { totalCruised, violations } = (output as ICruiseResult).summary
  if (totalCruised === 0) throw new Error(`${root}/src contains no source files`)
  return violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
}
