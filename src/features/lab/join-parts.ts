import type { Fault } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { type DocumentParts, EVERY_SELECTION } from './case-files.ts'

// A document with some of the cases, joined from the parts that the build has written.

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

/** The text of a document with the cases of a selection. A case that is named in `without` is left out. */
export function joinParts({ head, separator, sections, tail }: DocumentParts, selection: Selection): string {
  const [, paths] = sections
  const only = selection.only === undefined ? undefined : new Set(namesIn(selection.only))
  const without = new Set(namesIn(selection.without))
  const isIn = (names: ReadonlySet<string>, id: string) => names.has(id) || names.has(groupOf(id))
  const chosen = Object.keys(paths.items).filter((id) => (!only || isIn(only, id)) && !isIn(without, id))
  const keys = new Set(chosen.flatMap((id) => [EVERY_SELECTION, groupOf(id), id]))
  const texts = sections.map(({ open, close, empty, items }) => {
    const wanted = Object.entries(items).flatMap(([key, text]) => (keys.has(key) ? [text] : []))
    return wanted.length > 0 ? open + wanted.join(separator) + close : empty
  })
  return head + texts.join('') + tail
}

function namesIn(list: string | undefined): string[] {
  return list === undefined ? [] : list.split(',')
}

/** `query/*` of `query/reserved`. */
function groupOf(id: string): string {
  return `${id.slice(0, id.indexOf('/'))}/*`
}
