import { renderPage } from '../design/page.tsx'
import type { Catalogue } from '../schemas/catalogue.ts'
import { ROWS_PER_PAGE } from './explorer/columns.ts'
import { Hero, type HeroContent } from './explorer/hero.tsx'
import { Picture } from './explorer/picture.tsx'
import { PlanetTable } from './explorer/planet-table.tsx'
import { listPlanets } from './explorer/planets.ts'

interface IndexContent extends Omit<HeroContent, 'total'> {
  catalogue: Catalogue
  /** The first planet of the table. */
  offset: number
}

/** The page at the root of the service, for people: the explorer. */
export function renderIndexPage(content: IndexContent): Promise<string> {
  return renderPage({
    title: 'Galaxy: the reference API',
    width: 'wide',
    path: '/',
    script: 'explorer',
    // The script asks for it, too. So it comes at the same time as the script. `crossorigin` is part of how scripts ask.
    head: <link rel="preload" href="/catalogue" as="fetch" crossorigin="anonymous" />,
    content: <Explorer {...content} />,
  })
}

function Explorer({ catalogue: { columns, total }, offset, ...hero }: IndexContent) {
  // An offset past the end shows the last planet.
  const start = Math.max(0, Math.min(offset, total - 1))
  const planets = listPlanets(columns, start, start + ROWS_PER_PAGE)
  return (
    <>
      <Hero total={total} {...hero} />
      <Picture />
      <section aria-labelledby="planets">
        <h2 id="planets" tabindex={-1}>
          All planets as a table
        </h2>
        <p>
          They are real: the figures come from the <span translate="no">Open Exoplanet Catalogue</span>. The API has
          them at <a href="/catalogue">/catalogue</a> and one by one at <a href="/planets">/planets</a>.
        </p>
        <div id="table">
          <PlanetTable planets={planets} offset={start} total={total} />
        </div>
      </section>
    </>
  )
}
