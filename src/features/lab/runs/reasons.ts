import { GROUPS } from '../../../../laboratory/case.ts'
import type { Laboratory } from '../../../../laboratory/files.ts'
import type { Fault } from '../../../domain/problems.ts'
import { invalidBody } from '../../../http/body/reader.ts'
import { pointerTo } from '../../../lib/objects.ts'

type Reasons = Readonly<Record<string, string>>

/**
 * Checks that `expect` and `skip` name cases of the suite. A case of the level `open` is never judged, so nobody can
 * expect it to fail.
 *
 * @throws ProblemError 400 with a pointer to each name that is not valid
 */
export function requireKnownCases(
  { cases }: Laboratory,
  { expect = {}, skip = {} }: { expect?: Reasons | undefined; skip?: Reasons | undefined },
): void {
  const levels = new Map<string, string>(cases.map(({ id, level }) => [id, level]))
  const groups = GROUPS.map((group) => `${group}/*`)
  const faults = [
    ...faultsIn('expect', expect, (id) => {
      if (!levels.has(id)) return 'is no case'
      return levels.get(id) === 'open' ? 'is an open case, which is never judged' : undefined
    }),
    ...faultsIn('skip', skip, (id) => (levels.has(id) || groups.includes(id) ? undefined : 'is no case and no group')),
  ]
  if (faults.length > 0) throw invalidBody(faults)
}

function faultsIn(member: string, reasons: Reasons, faultOf: (id: string) => string | undefined): Fault[] {
  return Object.keys(reasons).flatMap((id) => {
    const detail = faultOf(id)
    return detail === undefined ? [] : [{ pointer: pointerTo([member, id]), detail }]
  })
}
