import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'

/** The layers of src/, lowest first. A file imports from its own layer and from lower ones; types are imports too. */
export const LAYERS: readonly (readonly string[])[] = [
  ['lib'],
  ['xml'],
  ['env', 'schemas'],
  ['events'],
  ['db'],
  ['stores'],
  ['auth'],
  ['services'],
  ['delivery'],
  ['http'],
  ['openapi'],
  ['features', 'queue', 'sweep'],
  ['app'],
  ['index'],
]

/** Packages that only these layers import. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'drizzle-orm': ['db', 'stores'],
  jose: ['auth'],
  oauth4webapi: ['auth'],
  'fast-xml-parser': ['xml'],
  'ipaddr.js': ['lib'],
  tldts: ['lib'],
  hono: ['http', 'features', 'app'],
}

/** A layer is a folder or a file of src/. */
const pathOf = (layers: readonly string[]) => `^src/(${layers.join('|')})(/|\\.ts$)`

const higherLayers = LAYERS.slice(0, -1).map((layer, index) => ({
  name: `${layer.join('-and-')}-imports-a-higher-layer`,
  from: { path: pathOf(layer) },
  to: { path: pathOf(LAYERS.slice(index + 1).flat()) },
}))

const packages = Object.entries(PACKAGES).map(([name, layers]) => ({
  name: `${name}-outside-its-layers`,
  from: { path: '^src/', pathNot: pathOf(layers) },
  to: { path: `node_modules/${name}/` },
}))

const RULES: IForbiddenRuleType[] = [
  ...higherLayers,
  ...packages,
  { name: 'not-in-a-layer', from: { path: '^src/', pathNot: pathOf(LAYERS.flat()) }, to: {} },
  {
    name: 'feature-to-feature',
    from: { path: '^src/features/([^/]+)/' },
    to: { path: '^src/features/', pathNot: '^src/features/$1/' },
  },
  { name: 'cycle', from: { path: '^src/' }, to: { circular: true } },
]

/** An import that breaks a rule. Paths are relative to the root. */
export interface Violation {
  rule: string
  from: string
  to: string
}

/** Finds the imports in `src/` that the layers forbid. @param root Absolute path of the folder that has `src/` */
export async function findViolations(root: string): Promise<Violation[]> {
  const { output } = await cruise(['src'], {
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
