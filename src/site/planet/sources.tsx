import { writeList } from '../../lib/text.ts'
import type { Planet } from '../../schemas/planet.ts'
import type { ShownPlanet } from './shown-planet.ts'

/** Says where the figures of a planet come from. data/README.md has the same facts about the shipped planets. */
export function Sources({ shown: { planet, isShipped } }: { shown: ShownPlanet }) {
  return isShipped ? <CatalogueSources planet={planet} /> : <CreatorIsSource planet={planet} />
}

function CreatorIsSource({ planet: { creator } }: { planet: Planet }) {
  return (
    <p>
      The creator of this planet, <bdi>{creator?.name ?? 'a user'}</bdi>, has set everything except the id and the time
      of the last change. Nobody has checked these facts.
    </p>
  )
}

function CatalogueSources({ planet }: { planet: Planet }) {
  const computed = computedFigures(planet)
  return (
    <>
      <p>
        This planet comes from the{' '}
        <a href="https://github.com/OpenExoplanetCatalogue/open_exoplanet_catalogue" rel="noreferrer">
          Open Exoplanet Catalogue
        </a>
        , as it was on <time datetime={planet.lastUpdated}>{formatDay(planet.lastUpdated)}</time>. Copyright 2012 Hanno
        Rein. Everybody may use the catalogue for every purpose if the copyright notice stays. A scientific publication
        has to name the catalogue.
      </p>
      {computed.length > 0 && (
        <p>
          Galaxy has computed {writeList(computed)} from the figures of the catalogue.
          {planet.habitabilityIndex !== undefined &&
            ' The habitability index is the Earth Similarity Index of Schulze-Makuch et al. 2011 (Astrobiology 11, 1041).'}
        </p>
      )}
      {planet.satellites && (
        <p>
          The diameters of the moons are twice the mean radii in JPL’s Planetary Satellite Physical Parameters. The
          orbits come from the NASA planetary fact sheets.
        </p>
      )}
    </>
  )
}

function computedFigures({ type, physicalProperties, habitabilityIndex }: Planet): string[] {
  return [
    ...(type === undefined ? [] : ['the type']),
    ...(physicalProperties?.gravity === undefined ? [] : ['the surface gravity']),
    ...(habitabilityIndex === undefined ? [] : ['the habitability index']),
  ]
}

/** Writes a date such as 22 August 2026. */
function formatDay(time: string): string {
  return new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}
