import { GROUPS, type Group, VERSIONS } from '../case.ts'
import { BODY } from './body.ts'
import { COOKIE } from './cookie.ts'
import type { Case, DeclaredCase } from './declare.ts'
import { FORM } from './form.ts'
import { HEADER } from './header.ts'
import { MULTIPART } from './multipart.ts'
import { PATH } from './path.ts'
import { QUERY } from './query.ts'
import { REDIRECT } from './redirect.ts'
import { RESPONSE } from './response.ts'
import { RETRY } from './retry.ts'
import { XML } from './xml.ts'

/** The date of the suite. A case never changes its meaning; if one is added, the suite gets a new date. */
export const SUITE = '2026-12-15'

/** Registry: the groups with their cases. */
const GROUPED: Readonly<Record<Group, readonly DeclaredCase[]>> = {
  path: PATH,
  query: QUERY,
  header: HEADER,
  cookie: COOKIE,
  form: FORM,
  multipart: MULTIPART,
  body: BODY,
  xml: XML,
  response: RESPONSE,
  redirect: REDIRECT,
  retry: RETRY,
}

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  path: 'Parameters in the path',
  query: 'Parameters in the query',
  header: 'Parameters in headers',
  cookie: 'Parameters in cookies',
  form: 'Forms (application/x-www-form-urlencoded)',
  multipart: 'Forms with files (multipart/form-data)',
  body: 'JSON, texts and bytes as bodies',
  xml: 'XML as a body',
  response: 'Responses to decode: GET sends one, PUT carries what was decoded',
  redirect: 'Redirects, judged where they end',
  retry: 'Retries, judged in runs',
}

/** All cases, in the order of the catalogue. */
export const CASES: readonly Case[] = GROUPS.flatMap((group) =>
  GROUPED[group].map((declared) => ({
    versions: VERSIONS,
    ...declared,
    group,
    id: `${group}/${declared.name}` as const,
    operationId: camelCase(`${group}-${declared.name}`),
  })),
)

function camelCase(words: string): string {
  return words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
