import type { BenchForm } from '../../bench/data.ts'
import type { Group } from '../../case.ts'
import { joinRequest, type RequestParts, requestPartsOf } from '../../documents/request.ts'
import type { Case } from '../declare.ts'
import { BODY_FORMS, XML_FORMS } from './body.ts'
import { COOKIE_FORMS } from './cookie.ts'
import type { Form, FormsOfGroup } from './form.ts'
import { FORM_FORMS } from './form-bodies.ts'
import { HEADER_FORMS } from './header.ts'
import { MULTIPART_FORMS } from './multipart.ts'
import { PATH_FORMS } from './path.ts'
import { QUERY_FORMS } from './query.ts'
import { REDIRECT_FORMS } from './redirect.ts'
import { RESPONSE_FORMS } from './response.ts'

/** Registry: the forms of each group but `retry`, whose verdicts need several requests. */
const FORMS: Readonly<Record<Exclude<Group, 'retry'>, FormsOfGroup>> = {
  path: PATH_FORMS,
  query: QUERY_FORMS,
  header: HEADER_FORMS,
  cookie: COOKIE_FORMS,
  form: FORM_FORMS,
  multipart: MULTIPART_FORMS,
  body: BODY_FORMS,
  xml: XML_FORMS,
  response: RESPONSE_FORMS,
  redirect: REDIRECT_FORMS,
}

/** The request that we would send, if the case is judged, and then those of others. None of `retry`. */
export function benchFormsOf(spec: Case): BenchForm[] {
  if (spec.group === 'retry') return []
  const right = requestPartsOf(spec)
  const others = (FORMS[spec.group][spec.name] ?? []).map(({ name, verdict, change }) => ({
    name,
    verdict,
    request: joinRequest(spec, apply(change, right)),
  }))
  if (spec.level === 'open') return others
  return [{ name: 'as it should be', verdict: 'pass', request: joinRequest(spec, right) }, ...others]
}

function apply({ headers = {}, ...change }: Form['change'], right: RequestParts): RequestParts {
  const all = Object.entries({ ...right.headers, ...headers })
  const sent = all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  return { ...right, ...change, headers: Object.fromEntries(sent) }
}
