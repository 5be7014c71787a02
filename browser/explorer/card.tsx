import { KINDS } from '../../src/site/explorer/planets.ts'
import { linkToPlanet } from '../lib/base.ts'
import { type Axes, factsOf } from './facts.ts'
import type { Marked } from './picture.ts'
import { type Store, useStore } from './store.ts'

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
          <a href={linkToPlanet(planet)} tabindex={-1} referrerpolicy="same-origin">
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

/** The side of its point on which the card has room. */
function sideOf({ x, y }: { x: number; y: number }): string {
  const host = document.querySelector('#picture')
  const { clientWidth = 0, clientHeight = 0 } = host ?? {}
  return `${y > clientHeight / 2 ? 'above' : 'below'} ${x > clientWidth / 2 ? 'left' : 'right'}`
}
