import type { CaseAnswer, JudgedCase } from '../case.ts'
import type { Answer, Case } from '../suite/declare.ts'
import { expectBody, expectParameters } from './expected.ts'
import { formsOf } from './forms.ts'
import { methodOf, pathOf } from './operations.ts'
import { wireOf } from './wire.ts'

/** What the Worker knows about a case. */
export function judgedCaseOf(spec: Case): JudgedCase {
  const { id, operationId, level, versions, answer, accepts, redirect, retry, variants } = spec
  const parameters = expectParameters(spec)
  const body = expectBody(spec)
  return {
    id,
    operationId,
    level,
    versions,
    method: answer ? 'PUT' : methodOf(spec).toUpperCase(),
    path: pathOf(spec),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body }),
    ...(variants && { variants }),
    wire: wireOf(spec),
    forms: formsOf(spec),
    ...(answer && { answer: caseAnswerOf(answer) }),
    ...(accepts !== undefined && { accepts }),
    ...(redirect && {
      redirect: {
        answer: { status: redirect.status, headers: { Location: locationOf(spec, redirect.location) } },
        target: 'target',
        method: redirect.method.toUpperCase(),
      },
    }),
    ...(retry && { script: retry.script }),
  }
}

function caseAnswerOf({ status, mediaType, headers, body, isBase64 }: Answer): CaseAnswer {
  const all = { ...(mediaType !== undefined && { 'Content-Type': mediaType }), ...headers }
  return {
    status,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(body !== undefined && { body }),
    ...(isBase64 && { isBase64 }),
  }
}

/** The path of the target below the bench. Only a case that begins below its name has a relative one. */
function locationOf({ id, rest }: Case, target: string): string {
  return rest === undefined ? `/${id}/${target}` : target
}
