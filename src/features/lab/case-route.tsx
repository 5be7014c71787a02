import { raw } from 'hono/html'
import * as z from 'zod'
import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { SCRIPT_POLICY } from '../../design/policies.ts'
import { atOrigin } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { prefersPage } from '../../http/pipeline/negotiation.ts'
import { reply, WrittenBody } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { findCase, readLaboratory } from './case-files.ts'
import { LabCase } from './catalogue-schema.ts'

/** A part of an id. Not a pattern, because Postman's importer would make up a text that matches it. */
const idPart = z.string().refine((text) => /^[a-z\d-]{1,40}$/.test(text), 'must be the id of a case')

const CasePath = z.object({
  group: idPart.meta({ description: doc('Its group'), examples: ['query'] }),
  name: idPart.meta({ parameterName: 'caseName', description: doc('Its name'), examples: ['reserved'] }),
})

/** The cases that have most in common with an id: its group, and the words of its name. */
async function findNearest(assets: Fetcher, group: string, name: string): Promise<string[]> {
  const wanted = [`${group}/`, ...name.split('-')]
  const likeness = (id: string) => wanted.filter((word) => id.includes(word)).length
  const { cases } = await readLaboratory(assets)
  const ids = cases.map(({ id }) => id).toSorted((one, other) => likeness(other) - likeness(one))
  return ids.slice(0, 3)
}

/** A case, as data or as a page. The build has written both. */
export const caseRoute = defineRoute({
  method: 'get',
  path: '/lab/cases/{group}/{name}',
  operationId: 'getLabCase',
  tag: 'Laboratory',
  summary: 'Get a case of the laboratory',
  description: doc('Returns a case, or its page for browsers.'),
  since: '2.0.0',
  formats: ['json'],
  security: [],
  params: CasePath,
  responses: {
    200: { description: doc('The case'), schema: LabCase, files: [HTML], headers: ['Content-Security-Policy'] },
  },
  problems: ['not-found'],
  async handle({ params: { group, name } }, { baseUrl, headers, services }) {
    const id = `${group}/${name}`
    const isPage = prefersPage(headers)
    const text = await findCase(services.assets, id, isPage ? 'txt' : 'json')
    if (text === undefined) {
      const near = await findNearest(services.assets, group, name)
      throw new ProblemError(
        'not-found',
        `There is no such case. Near it are ${near.join(', ')}. GET /lab/cases lists all of them.`,
      )
    }
    if (!isPage) return reply(200, new WrittenBody<z.infer<typeof LabCase>>('json', new TextEncoder().encode(text)))
    const page = await renderPage({
      title: `${id}, a case of the laboratory`,
      description: `What a client should send to the case ${id}, what real clients send, and a bench to try it.`,
      width: 'wide',
      script: 'lab',
      content: raw(atOrigin(text, baseUrl)),
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})
