import { raw } from 'hono/html'
import * as z from 'zod'
import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { SCRIPT_POLICY } from '../../design/policies.ts'
import { atOrigin } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { chooseMediaType } from '../../http/pipeline/negotiation.ts'
import { FileBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { findGuide, type GuideHead, readGuideFile } from './files.ts'

/** RFC 7763. */
const MARKDOWN = 'text/markdown'

/** What the path of a guide ends with if its Markdown is wanted. */
const MARKDOWN_ENDING = '.md'

const guides = defineRoute({
  method: 'get',
  path: '/guides',
  operationId: 'listGuides',
  tag: 'Documents',
  summary: 'Get the list of guides',
  description: doc('Returns a page that lists the guides with their headings, and finds words in these.'),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The list of guides'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { services }) {
    const page = await renderPage({
      title: 'Guides',
      description: 'How to use this service: sign-in, callbacks, live events, universes, tests, and the interface.',
      path: '/guides',
      script: 'guides',
      content: raw(await readGuideFile(services.assets, 'contents')),
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})

const guide = defineRoute({
  method: 'get',
  path: '/guides/{guide}',
  operationId: 'getGuide',
  tag: 'Documents',
  summary: 'Get a guide',
  description: doc(
    'Returns a guide as a page. With `.md` at the end of the path, or if `Accept` prefers `text/markdown`, it is the same text as Markdown (RFC 7763). The addresses in its examples are those of this world.',
  ),
  since: '2.0.0',
  security: [],
  params: z.object({
    // Not a pattern, because Postman's importer would make up a text that matches it.
    guide: z
      .string()
      .refine((text) => /^[a-z\d.-]{1,40}$/.test(text), 'must be the name of a guide')
      .meta({ description: doc('The name of the guide'), examples: ['callbacks'] }),
  }),
  responses: {
    200: {
      description: doc('The guide'),
      files: [HTML, MARKDOWN],
      headers: ['Content-Security-Policy'],
    },
  },
  problems: ['not-found'],
  async handle({ params: { guide: asked } }, { baseUrl, headers, services: { assets } }) {
    // `openapi-3.2` has a dot, so only this ending counts.
    const endsAsMarkdown = asked.endsWith(MARKDOWN_ENDING)
    const name = endsAsMarkdown ? asked.slice(0, -MARKDOWN_ENDING.length) : asked
    const isMarkdown = endsAsMarkdown || chooseMediaType(headers, [HTML, MARKDOWN]) === MARKDOWN
    const vary = endsAsMarkdown ? {} : { Vary: 'Accept' }
    const text = await findGuide(assets, name, isMarkdown ? 'md' : 'txt')
    if (text === undefined)
      throw new ProblemError('not-found', 'There is no such guide. GET /guides lists all of them.')
    const content = atOrigin(text, baseUrl)
    if (isMarkdown) return reply(200, new FileBody(`${MARKDOWN}; charset=utf-8`, content), vary)
    const heads: Record<string, GuideHead> = JSON.parse(await readGuideFile(assets, 'heads'))
    const head = heads[name]
    if (!head) throw new Error(`the guide ${name} has no head`)
    const page = await renderPage({ ...head, path: '/guides', width: 'wide', script: 'guides', content: raw(content) })
    return replyPage(page, SCRIPT_POLICY, vary)
  },
})

const llms = defineRoute({
  method: 'get',
  path: '/llms.txt',
  operationId: 'getLlmsText',
  tag: 'Documents',
  summary: 'Get the list of guides and documents for agents',
  description: doc(
    'Returns what a program that reads texts should know first (llmstxt.org): the guides and the documents of this world as links, with a sentence about each.',
  ),
  since: '2.0.0',
  security: [],
  responses: { 200: { description: doc('The list, as Markdown'), files: ['text/plain'] } },
  async handle(_, { baseUrl, services }) {
    const text = await readGuideFile(services.assets, 'llms')
    return reply(200, new FileBody('text/plain; charset=utf-8', atOrigin(text, baseUrl)))
  },
})

export const guideRoutes: readonly Route[] = [guides, guide, llms]
