import { doc } from '#doc'
import { TEXT_POLICY } from '../../../design/policies.ts'
import { ProblemError } from '../../../domain/problems.ts'
import { PAGE_FAILURES, PAGE_NOT_FOUND } from '../../../http/page-responses.ts'
import { HTML, replyPage } from '../../../http/pages.ts'
import { FileBody, reply } from '../../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../../http/pipeline/route.ts'
import { LabBadge, LabGate, LabGateQuery, LabRunPath } from '../../../schemas/lab-run.ts'
import { readRules } from '../case-files.ts'
import { caseDocumentRoutes } from '../document-routes.ts'
import { badgeOf, drawBadge } from './badge.ts'
import { noRun } from './errors.ts'
import { toJUnit } from './junit.ts'
import { COMMON, RUN_PATH, RUNS_PATH } from './paths.ts'
import { hasRun } from './queries.ts'
import { readStates } from './read-states.ts'
import { renderReport } from './report-page.tsx'
import { judgeGate, summarise } from './summary.ts'

/** The members that all operations that read the results of a run have. */
const READ = { ...COMMON, method: 'get', isSecret: true, params: LabRunPath } as const

/** The level of a gate if the request names none. */
const GATE_LEVEL = 'core'

const gate = defineRoute({
  ...READ,
  path: `${RUN_PATH}/gate`,
  operationId: 'getLabRunGate',
  summary: 'Ask whether a run passes',
  description: doc(
    'Returns 200 if the run passes, otherwise 422, so that `curl -f` is a step of CI. A run fails on cases of its level that failed, were not finished or were never called, if they are neither in `expect` nor in `skip`; on cases in `expect` that passed, at any level, so that the list has to shrink; and if no case was judged.',
  ),
  query: LabGateQuery,
  responses: { 200: { description: doc('The run passes'), schema: LabGate } },
  problems: ['lab-gate'],
  async handle({ params, query }, context) {
    const { states } = await readStates(params.runId, context)
    const { passes, ...lists } = judgeGate(states, query.level ?? GATE_LEVEL)
    if (passes) return reply(200, lists)
    const { unexpected, missing, stale } = lists
    const counts = `${unexpected.length} unexpected, ${missing.length} missing, ${stale.length} stale`
    const isEmpty = unexpected.length + missing.length + stale.length === 0
    const detail = isEmpty ? 'The run does not pass: no case was judged.' : `The run does not pass: ${counts}.`
    throw new ProblemError('lab-gate', detail, { gate: lists })
  },
})

const junit = defineRoute({
  ...READ,
  path: `${RUN_PATH}/junit.xml`,
  operationId: 'getLabRunJUnit',
  summary: 'Get the results of a run for CI',
  description: doc(
    'Returns the results in the format of JUnit, which CI services show: a suite for each group of cases. What fails is what the gate complains about. Cases that should fail, cases in `skip`, and cases above the level that were not passed are skipped.',
  ),
  query: LabGateQuery,
  responses: { 200: { description: doc('The results'), files: ['application/xml'] } },
  async handle({ params, query }, context) {
    const { run, suite, states } = await readStates(params.runId, context)
    return reply(200, new FileBody('application/xml', toJUnit(states, query.level ?? GATE_LEVEL, { ...run, suite })))
  },
})

const badge = defineRoute({
  ...READ,
  path: `${RUN_PATH}/badge.json`,
  operationId: 'getLabRunBadge',
  summary: 'Get the badge of a run for shields.io',
  description: doc('Returns how many of the core cases passed, as the endpoint badge of shields.io takes it.'),
  responses: { 200: { description: doc('The badge'), schema: LabBadge } },
  async handle({ params }, context) {
    const { states } = await readStates(params.runId, context)
    return reply(200, badgeOf(summarise(states)))
  },
})

const SVG = 'image/svg+xml'

const badgePicture = defineRoute({
  ...READ,
  path: `${RUN_PATH}/badge.svg`,
  operationId: 'getLabRunBadgePicture',
  summary: 'Get the badge of a run as a picture',
  description: doc('Returns how many of the core cases passed, as a picture.'),
  responses: { 200: { description: doc('The badge'), files: [SVG] } },
  async handle({ params }, context) {
    const { states } = await readStates(params.runId, context)
    return reply(200, new FileBody(SVG, drawBadge(summarise(states))))
  },
})

const report = defineRoute({
  ...READ,
  path: `${RUN_PATH}/report`,
  operationId: 'getLabRunReport',
  summary: 'Get the report of a run',
  description: doc('Returns a page about the run: what was sent, what was expected, and where they part.'),
  errorStyle: 'page',
  responses: {
    200: {
      description: doc('The report'),
      files: [HTML],
      headers: ['Content-Security-Policy', 'X-Robots-Tag'],
    },
    ...PAGE_FAILURES,
    ...PAGE_NOT_FOUND,
  },
  async handle({ params }, context) {
    const [states, rules] = await Promise.all([readStates(params.runId, context), readRules(context.services.assets)])
    const page = await renderReport(states, rules, context.baseUrl)
    return replyPage(page, TEXT_POLICY, { 'X-Robots-Tag': 'noindex' })
  },
})

const documents = caseDocumentRoutes({
  path: RUN_PATH,
  id: 'getLabRun',
  title: ' of a run',
  params: LabRunPath,
  isSecret: true,
  async locate(params, { session, now }) {
    const { runId } = LabRunPath.parse(params)
    if (await hasRun(session.db, runId, now)) return `${RUNS_PATH}/${runId}`
    throw noRun()
  },
})

export const reportRoutes: readonly Route[] = [gate, junit, badge, badgePicture, report, ...documents]
