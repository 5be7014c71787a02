import { renderPage } from '../../design/page.tsx'
import type { RenderedPage } from '../../design/rendered-page.ts'
import { PLANET_TYPE_DESCRIPTIONS } from '../../schemas/planet.ts'
import { KINDS } from '../explorer/planets.ts'
import { Facts } from './facts.tsx'
import { InTheApi } from './in-the-api.tsx'
import { pathOf } from './paths.ts'
import { Satellites } from './satellites.tsx'
import type { ShownPlanet } from './shown-planet.ts'
import { Sources } from './sources.tsx'

export function renderPlanetPage(shown: ShownPlanet): Promise<RenderedPage> {
  return renderPage({
    title: `${shown.planet.name} – Galaxy`,
    description: `The planet ${shown.planet.name}: its figures with units, its satellites, and how to get it from the API.`,
    width: 'wide',
    script: 'planet',
    content: <PlanetContent shown={shown} />,
  })
}

function PlanetContent({ shown }: { shown: ShownPlanet }) {
  const { planet } = shown
  // The drawing of satellites makes the second column long. So the sources move to the first column.
  const hasSatellites = (planet.satellites ?? []).length > 0
  const sources = (
    <section aria-labelledby="sources">
      <h2 id="sources">Where the figures come from</h2>
      <Sources shown={shown} />
    </section>
  )
  return (
    <>
      <Introduction shown={shown} />
      <div class="columns">
        <div>
          <section aria-labelledby="figures">
            <h2 id="figures">Figures</h2>
            <Facts shown={shown} />
          </section>
          {hasSatellites && sources}
        </div>
        <div>
          <section aria-labelledby="satellites">
            <h2 id="satellites">Satellites</h2>
            <Satellites planet={planet} />
          </section>
          {!hasSatellites && sources}
        </div>
      </div>
      <section aria-labelledby="api">
        <h2 id="api">The same planet in the API</h2>
        <InTheApi shown={shown} />
      </section>
      <Links shown={shown} />
    </>
  )
}

/**
 * The text beside the type of a shipped planet. The usual description of a type says what the planet is made of, and
 * that is not known (data/README.md).
 */
const FOLLOWS_FROM_SIZE = 'The type follows from the size alone.'

function Introduction({ shown: { planet, picture, isShipped } }: { shown: ShownPlanet }) {
  const { id, name, type, description, tags = [] } = planet
  return (
    <header class="planet-header">
      <div>
        <p class="eyebrow">
          <a href="/">Explorer</a> / Planet {id}
        </p>
        <h1>
          <bdi>{name}</bdi>
        </h1>
        {type && (
          <p>
            <span class={`planet-type type-${type}`}>{KINDS[type]}</span>{' '}
            <span class="hint">{isShipped ? FOLLOWS_FROM_SIZE : PLANET_TYPE_DESCRIPTIONS[type]}</span>
          </p>
        )}
        {description && (
          <p class="planet-description" dir="auto">
            {description}
          </p>
        )}
        {tags.length > 0 && (
          <ul class="tags" aria-label="Tags">
            {tags.map((tag) => (
              <li class="tag">
                <bdi>{tag}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
      {picture && <img class="planet-picture" src={picture} alt="Uploaded by its creator" />}
    </header>
  )
}

function Links({ shown: { neighbours } }: { shown: ShownPlanet }) {
  const { previous, next } = neighbours
  return (
    <nav class="ways" aria-label="Other planets">
      {previous !== null && (
        <a rel="prev" href={pathOf({ id: previous })}>
          ← Planet {previous}
        </a>
      )}
      <a href="/">All planets in the explorer</a>
      <a href="/docs">API reference</a>
      {next !== null && (
        <a rel="next" href={pathOf({ id: next })}>
          Planet {next} →
        </a>
      )}
    </nav>
  )
}
