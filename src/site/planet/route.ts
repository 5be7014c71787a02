import { doc } from '#doc'
import { SCRIPT_POLICY } from '../../design/policies.ts'
import { PAGE_FAILURES, PAGE_NOT_FOUND } from '../../http/page-responses.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { renderPlanetPage } from './page.tsx'
import { PLANET_PAGES } from './paths.ts'
import { readShownPlanet } from './shown-planet.ts'

export const planetPage = defineRoute({
  method: 'get',
  path: `${PLANET_PAGES}{planetId}`,
  operationId: 'getPlanetPage',
  tag: 'Documents',
  summary: 'Get the page about a planet',
  description: doc(
    'Returns a page with everything about a planet: its figures with units, the orbits of its satellites, its picture, and how to get it from the API.',
  ),
  since: '2.0.0',
  security: [],
  errorStyle: 'page',
  params: PlanetPath,
  responses: {
    200: { description: doc('The page about the planet'), files: [HTML], headers: ['Content-Security-Policy'] },
    ...PAGE_FAILURES,
    ...PAGE_NOT_FOUND,
  },
  async handle({ params }, context) {
    const shown = await readShownPlanet(params.planetId, context)
    return replyPage(await renderPlanetPage(shown), SCRIPT_POLICY)
  },
})
