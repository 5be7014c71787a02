import { renderPage } from '../design/page.tsx'
import type { RenderedPage } from '../design/rendered-page.ts'
import type { Catalogue } from '../schemas/catalogue.ts'
import { ROWS_PER_PAGE } from './explorer/columns.ts'
import { EXAMPLE_PLANET_ID } from './explorer/commands.ts'
import { Hero, type HeroContent } from './explorer/hero.tsx'
import { NewPlanets } from './explorer/new-planets.tsx'
import { Picture } from './explorer/picture.tsx'
import { PlanetTable } from './explorer/planet-table.tsx'
import { listPlanets } from './explorer/planets.ts'

interface IndexContent extends Omit<HeroContent, 'total' | 'planetId'> {
  catalogue: Catalogue
  /** The position of the first planet of the table in the catalogue, from 0. */
  offset: number
}

/** The page at the root of the service, for people: the explorer. */
export function renderIndexPage(content: IndexContent): Promise<RenderedPage> {
  return renderPage({
    title: 'Galaxy: the reference API',
    description:
      'Galaxy is a real HTTP API for people who build API tools or learn HTTP. Explore its planets as a picture and as a table.',
    width: 'wide',
    path: '/',
    script: 'explorer',
    // Preloads the catalogue, which the script requests, so that both load at the same time. Without `crossorigin`, the
    // browser would not use the preloaded response for the request of the script.
    head: content.catalogue.total > 0 && <link rel="preload" href="/catalogue" as="fetch" crossorigin="anonymous" />,
    content: <Explorer {...content} />,
  })
}

function Explorer({ catalogue, offset, ...hero }: IndexContent) {
  const { columns, total } = catalogue
  const planetId = columns.id.includes(EXAMPLE_PLANET_ID) ? EXAMPLE_PLANET_ID : columns.id[0]
  return (
    <>
      <Hero total={total} planetId={planetId} {...hero} />
      {total > 0 && <Picture />}
      <section aria-labelledby="planets">
        <h2 id="planets" tabindex={-1}>
          All planets as a table
        </h2>
        {total > 0 ? <Table catalogue={catalogue} offset={offset} isUniverse={hero.isUniverse} /> : <NoPlanets />}
      </section>
      <NewPlanets hasPicture={total > 0} />
    </>
  )
}

function Table({ catalogue, offset, isUniverse }: Pick<IndexContent, 'catalogue' | 'offset' | 'isUniverse'>) {
  const { columns, total } = catalogue
  // An offset past the end shows the last planet.
  const start = Math.max(0, Math.min(offset, total - 1))
  const planets = listPlanets(columns, start, start + ROWS_PER_PAGE)
  return (
    <>
      <p>
        {isUniverse ? <OwnersPlanets /> : <RealPlanets />} The API has all planets page by page at{' '}
        <a href="/planets">/planets</a>, and the catalogue in one document at <a href="/catalogue">/catalogue</a>.
      </p>
      <div id="request" class="table-request needs-script" />
      <div id="table">
        <PlanetTable planets={planets} offset={start} total={total} />
      </div>
    </>
  )
}

function RealPlanets() {
  return (
    <>
      The planets of the catalogue are real: the figures come from the{' '}
      <span translate="no">Open Exoplanet Catalogue</span>.
    </>
  )
}

function OwnersPlanets() {
  return <>These are the planets of this universe. Its owner can also change the planets that it began with.</>
}

function NoPlanets() {
  return (
    <p>
      There were no planets when you opened this page. Create some with <code>POST /planets</code>, for example in the{' '}
      <a href="/docs">API reference</a>. They appear below at once.
    </p>
  )
}
