import { FIGURES, writeCount } from '../../src/site/explorer/axis-figures.ts'
import type { Explorer } from './explorer.ts'
import type { Axes } from './facts.ts'
import type { Picture } from './picture.ts'

/** Sentences that say how many planets are shown, and why some of them are not in the picture. */
export function describeCount(explorer: Explorer, { missing, beyond }: Picture): string {
  const { count } = explorer.selection.get()
  const sentences = [`${writeCount(count)} of ${writeCount(explorer.planets.length)} planets.`]
  if (missing > 0) {
    const [has, is] = [verb(missing, 'has', 'have'), verb(missing, 'is', 'are')]
    const lack = describeLack(explorer.state.get())
    sentences.push(`${writeCount(missing)} ${has} ${lack} and ${is} only in the table.`)
  }
  if (beyond > 0)
    sentences.push(`${writeCount(beyond)} ${verb(beyond, 'is', 'are')} beyond the axes, and only in the table.`)
  return sentences.join(' ')
}

function verb(count: number, one: string, many: string): string {
  return count === 1 ? one : many
}

/** What a planet lacks if it is missing in the picture, as the object of a sentence. */
function describeLack({ x, y }: Axes): string {
  const names = [...new Set([y, x])].map((name) => `no known ${FIGURES[name].label.toLowerCase()}`)
  return names.join(' or ')
}
