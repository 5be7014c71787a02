import { FIGURES, writeCount } from '../../src/site/explorer/axis-figures.ts'
import type { Explorer } from './explorer.ts'
import type { Axes } from './facts.ts'
import type { Picture } from './picture.ts'

/** Sentences that say how many planets are shown, and why some of them are not in the picture. */
export function describeCount(explorer: Explorer, { missing, beyond }: Picture): string {
  const { count } = explorer.selection.get()
  const all = `${writeCount(count)} of ${writeCount(explorer.planets.length)} planets.`
  const lacking = ` ${writeCount(missing)} ${verb(missing, 'has', 'have')} ${nameAxes(explorer.state.get())}`
  const rest = ` and ${verb(missing, 'is', 'are')} only in the table.`
  const far = ` ${writeCount(beyond)} ${verb(beyond, 'is', 'are')} beyond the axes, and only in the table.`
  return all + (missing > 0 ? lacking + rest : '') + (beyond > 0 ? far : '')
}

function verb(count: number, one: string, many: string): string {
  return count === 1 ? one : many
}

/** A sentence that names the figures without which a planet is not in the picture. */
function nameAxes({ x, y }: Axes): string {
  const names = [...new Set([y, x])].map((name) => `no known ${FIGURES[name].label.toLowerCase()}`)
  return names.join(' or ')
}
