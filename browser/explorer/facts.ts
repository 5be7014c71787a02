import { FIGURES, type FigureName, writeFigure } from '../../src/site/explorer/axis-figures.ts'
import { type CataloguePlanet, KINDS, METHODS } from '../../src/site/explorer/planets.ts'

export interface Axes {
  x: FigureName
  y: FigureName
}

/** The name, the type and the known figures of a planet, as text for screen readers. */
export function describePlanet(planet: CataloguePlanet, axes: Axes): string {
  const facts = factsOf(planet, axes).map(([label, value]) => `${label} ${value}`)
  return [planet.name, KINDS[planet.kind], ...facts].join(', ')
}

/** The known figures of a planet, those of the axes first. */
export function factsOf({ figures, method }: CataloguePlanet, { x, y }: Axes): [label: string, value: string][] {
  const names = [...new Set<FigureName>([x, y, 'mass', 'radius', 'year'])].filter((name) => figures[name] !== null)
  const facts = names.map((name): [string, string] => {
    const { label, unit } = FIGURES[name]
    return [label, `${writeFigure(name, figures[name])} ${unit}`.trim()]
  })
  const discovery = METHODS[method]
  return discovery === undefined ? facts : [...facts, ['Discovery method', discovery.toLowerCase()]]
}
