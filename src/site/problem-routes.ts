import * as z from 'zod'
import { doc } from '#doc'
import { TEXT_POLICY } from '../design/policies.ts'
import { PROBLEMS } from '../domain/problems.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { defineRoute, type Route } from '../http/pipeline/route.ts'
import { keysOf } from '../lib/objects.ts'
import { renderProblemPage } from './problem-page.tsx'
import { renderProblemsPage } from './problems-page.tsx'

const problems = defineRoute({
  method: 'get',
  path: '/problems',
  operationId: 'listProblems',
  tag: 'Documents',
  summary: 'Get the list of problems',
  description: doc('Returns a page that lists all types of problems by status.'),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('A page that lists the problems'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle() {
    return replyPage(await renderProblemsPage(), TEXT_POLICY)
  },
})

const problem = defineRoute({
  method: 'get',
  path: '/problems/{code}',
  operationId: 'getProblem',
  tag: 'Documents',
  summary: 'Get the explanation of a problem',
  description: doc('Returns the page that the `type` of a problem links to.'),
  since: '2.0.0',
  security: [],
  params: z.object({
    code: z.enum(keysOf(PROBLEMS)).meta({ description: doc('The problem type'), examples: ['not-found'] }),
  }),
  responses: {
    200: { description: doc('A page that explains the problem'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle({ params: { code } }, { baseUrl, services }) {
    const { demoControls } = services.config
    return replyPage(await renderProblemPage({ code, baseUrl, demoControls }, services.assets), TEXT_POLICY)
  },
})

export const problemRoutes: readonly Route[] = [problems, problem]
