import type { JudgedCase, PartName } from '../case.ts'
import type { Case } from '../suite/declare.ts'
import { tagOf } from './values.ts'
import { wireBody, wireCookie, wireHeaders, wirePath, wireQuery } from './wire.ts'

type Forms = NonNullable<JudgedCase['forms']>
type Entry = readonly [part: PartName, form: Forms[PartName]]

/** How we would send each part of a case. Absent are parts of more than one line, and what of an open case is judged. */
export function formsOf(spec: Case): Forms {
  const { level, accepts, parameters = [], redirect } = spec
  if (accepts !== undefined) return { 'header accept': { text: accepts, encoding: null } }
  if (level === 'open') return {}
  const all = redirect?.query ? [...parameters, redirect.query] : parameters
  const texts: (readonly [PartName, string])[] = [
    ['path', wirePath(spec, all).slice(1)],
    ['query', wireQuery(all)],
    ['cookie', wireCookie(all).replace(/^Cookie: /, '')],
    ...wireHeaders(all).map((line) => {
      const [name = '', value = ''] = line.split(/: (.*)/s)
      return [`header ${name.toLowerCase()}`, value] as const
    }),
  ]
  const sent = texts.filter(([part, text]) => text !== '' || part.startsWith('header'))
  const parts: Entry[] = sent.map(([part, text]) => [part, { text, encoding: null }])
  return Object.fromEntries([...parts, ...bodyOf(spec)])
}

function bodyOf({ body, answer, redirect }: Case): Entry[] {
  if (redirect?.body === 'none') return []
  if (answer) {
    const { mediaType, schema = answer.schema ?? {}, value } = answer.report
    const bytes = tagOf(value, '$bytes')
    const text = bytes ?? wireBody(mediaType, schema, value)
    return [['body', { text, encoding: bytes === undefined ? null : 'base64' }]]
  }
  if (body?.input === undefined) return []
  const { mediaType, schema, input, encoding } = body
  const contentType: Entry = ['header content-type', { text: mediaType, encoding: null }]
  const bytes = tagOf(input, '$bytes')
  if (bytes !== undefined) return [contentType, ['body', { text: bytes, encoding: 'base64' }]]
  // Of its parts, the form that we would send says in words what they contain.
  if (mediaType.startsWith('multipart/')) return [contentType]
  return [contentType, ['body', { text: wireBody(mediaType, schema, input, encoding), encoding: null }]]
}
