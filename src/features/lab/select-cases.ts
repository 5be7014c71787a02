import { SELF_NAME } from '../../../laboratory/files.ts'
import type { Fault } from '../../domain/problems.ts'
import { parseExactJson } from '../../lib/json.ts'
import { pointerTo } from '../../lib/objects.ts'

/** Which cases a caller wants: ids and `group/*`, separated by commas. Undefined: all, or none left out. */
export interface Selection {
  only?: string | undefined
  without?: string | undefined
}

/** How many faults a refusal names. */
const FAULTS_MAX = 20

/** The names in a selection that are neither an id nor a group. */
export function findUnknown(ids: readonly string[], selection: Selection): Fault[] {
  const known = new Set([...ids, ...ids.map(groupOf)])
  return (['only', 'without'] as const)
    .flatMap((parameter) =>
      namesIn(selection[parameter]).map((name, index) => ({ name, pointer: pointerTo([parameter, index]) })),
    )
    .filter(({ name }) => !known.has(name))
    .slice(0, FAULTS_MAX)
    .map(({ pointer }) => ({
      pointer,
      detail: 'must be the id of a case, such as query/reserved, or a group, such as query/*',
    }))
}

/** What a document of the cases has, as far as a selection needs it (laboratory/documents/document.ts). */
interface CaseDocument {
  tags: readonly { name: string }[]
  paths: Readonly<Record<string, object>>
  components: { schemas: Readonly<Record<string, object>> }
}

/**
 * The document with the cases of a selection, and only the tags and components that they use. A case that is named in
 * `without` is left out.
 *
 * @param json The document with all cases. Its numbers stay as they are written, because some are no doubles
 */
export function selectCases(json: string, selection: Selection): object {
  const document = parseExactJson(json) as CaseDocument | undefined
  if (!document) throw new Error('what the build has written is a document')
  const only = selection.only === undefined ? undefined : new Set(namesIn(selection.only))
  const without = new Set(namesIn(selection.without))
  const isIn = (names: ReadonlySet<string>, id: string) => names.has(id) || names.has(groupOf(id))
  const isChosen = (id: string) => (!only || isIn(only, id)) && !isIn(without, id)
  const paths = Object.entries(document.paths).filter(([path]) => isChosen(idOf(path)))
  const groups = new Set(paths.map(([path]) => groupOf(idOf(path))))
  const { schemas } = document.components
  const used = new Set<string>()
  collectReferences(Object.fromEntries(paths), schemas, used)
  const components = Object.entries(schemas).filter(([name]) => used.has(name))
  return {
    ...document,
    tags: document.tags.filter(({ name }) => groups.has(`${name}/*`)),
    paths: Object.fromEntries(paths),
    components: components.length > 0 ? { schemas: Object.fromEntries(components) } : {},
  }
}

const SCHEMA_REFERENCE = '#/components/schemas/'

/** Adds the names of the schemas that a value refers to, with a `$ref` or in the mapping of a discriminator. */
function collectReferences(value: unknown, schemas: Readonly<Record<string, object>>, names: Set<string>): void {
  // In OpenAPI 3.2, a reference can begin with the name of the document itself.
  const reference = typeof value === 'string' ? value.replace(SELF_NAME, '') : ''
  if (reference.startsWith(SCHEMA_REFERENCE)) {
    const name = reference.slice(SCHEMA_REFERENCE.length)
    if (names.has(name)) return
    names.add(name)
    collectReferences(schemas[name], schemas, names)
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectReferences(member, schemas, names)
  }
}

/** The id of the case with a path: `query/form-array` of `/query/form-array`. */
function idOf(path: string): string {
  return path.split('/').slice(1, 3).join('/')
}

function namesIn(list: string | undefined): string[] {
  return list === undefined ? [] : list.split(',')
}

/** `query/*` of `query/reserved`. */
function groupOf(id: string): string {
  return `${id.slice(0, id.indexOf('/'))}/*`
}
