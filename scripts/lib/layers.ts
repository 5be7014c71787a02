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
  ['openapi'],
  ['asyncapi'],
  ['features'],
  ['site'],
  ['hub'],
  ['app', 'sweep'],
  ['universes'],
  ['index'],
  ['documents'],
]

/**
 * What describes the service. The build runs it, and the Worker does not contain it: other layers import only types
 * from it.
 */
export const DESCRIPTION = ['openapi', 'asyncapi', 'documents']

/** What declares and describes the cases of the laboratory. The Worker reads the files that the build makes of it. */
const CASES = '^src/features/lab/(suite|documents|scoreboard)/'

/**
 * What the code for browsers imports from src/: files without JSX, which know nothing of the Worker. Types may come
 * from anywhere.
 */
export const SHARED_WITH_BROWSERS = ['domain', 'lib', 'design', 'site']

/** Packages that only these layers import. A file of queries in a feature imports what `stores` imports. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'drizzle-orm': ['db', 'changes', 'stores'],
  jose: ['auth'],
  oauth4webapi: ['auth'],
  'fast-xml-parser': ['xml'],
  'lossless-json': ['lib'],
  yaml: ['openapi'],
  'ipaddr.js': ['lib', 'domain'],
  hono: ['design', 'http', 'features', 'site', 'app'],
}

/** The features that each feature may import. It imports no others. */
export const FEATURES: Readonly<Record<string, readonly string[]>> = {
  callbacks: ['inboxes'],
  deliveries: ['callbacks'],
  webhooks: ['callbacks'],
  planets: ['callbacks'],
  'celestial-bodies': ['planets'],
  live: ['planets'],
  lab: ['documents'],
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
  {
    name: 'service-imports-its-description',
    from: { path: '^src/', pathNot: pathOf(DESCRIPTION) },
    to: { path: pathOf(DESCRIPTION), dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'service-imports-the-cases',
    from: { path: '^src/', pathNot: `${CASES}|${pathOf(DESCRIPTION)}` },
    to: { path: CASES, dependencyTypesNot: ['type-only'] },
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
  { name: 'cycle', from: { path: '^(src|browser)/' }, to: { circular: true } },
]

/** An import that breaks a rule. Paths are relative to the root. */
export interface Violation {
  rule: string
  from: string
  to: string
}

/** Finds the imports in `src/` and `browser/` that break a rule. @param root Absolute path of the folder with both */
export async function findViolations(root: string): Promise<Violation[]> {
  const { output } = await cruise(['src', 'browser'], {
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
