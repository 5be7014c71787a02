import { FIGURES, type FigureName, writeFigure } from '../../src/site/explorer/figures.ts'
import { type CataloguePlanet, KINDS, METHODS, pathOf } from '../../src/site/explorer/planets.ts'
import type { Marked } from './picture.ts'
import { type Store, useStore } from './store.ts'

interface Axes {
  x: FigureName
  y: FigureName
}

/** The ring around the marked planet, and a card with its name and its figures. */
export function Card({ marked, axesOf }: { marked: Store<Marked | undefined>; axesOf: () => Axes }) {
  const current = useStore(marked)
  if (!current) return null
  const { planet, place, isPinned } = current
  const translate = `${place.x}px ${place.y}px`
  return (
    <>
      <div class="ring" style={{ translate }} />
      <div class={isPinned ? 'card pinned' : 'card'} data-side={sideOf(place)} style={{ translate }}>
        <strong>
          <a href={pathOf(planet)} tabindex={-1}>
            {planet.name}
          </a>
        </strong>
        <p>
          <span class={`swatch swatch-${planet.kind}`} />
          <span>{planet.host === '' ? KINDS[planet.kind] : `${KINDS[planet.kind]}, host star ${planet.host}`}</span>
        </p>
        <dl>
          {factsOf(planet, axesOf()).map(([label, value]) => (
            <>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      </div>
    </>
  )
}

/** A planet as a sentence. */
export function describePlanet(planet: CataloguePlanet, axes: Axes): string {
  const facts = factsOf(planet, axes).map(([label, value]) => `${label} ${value}`)
  return [planet.name, KINDS[planet.kind], ...facts].join(', ')
}

function factsOf({ figures, method }: CataloguePlanet, { x, y }: Axes): [label: string, value: string][] {
  const names = [...new Set<FigureName>([x, y, 'mass', 'radius', 'year'])].filter((name) => figures[name] !== null)
  const facts = names.map((name): [string, string] => {
    const { label, unit } = FIGURES[name]
    return [label, `${writeFigure(name, figures[name])} ${name === 'habitability' ? '' : unit}`.trim()]
  })
  const discovery = METHODS[method]
  return discovery === undefined ? facts : [...facts, ['Discovered by', discovery.toLowerCase()]]
}

/** On which side of its point a card has room. */
function sideOf({ x, y }: { x: number; y: number }): string {
  const host = document.querySelector('#picture')
  const { clientWidth = 0, clientHeight = 0 } = host ?? {}
  return `${y > clientHeight / 2 ? 'above' : 'below'} ${x > clientWidth / 2 ? 'left' : 'right'}`
}
