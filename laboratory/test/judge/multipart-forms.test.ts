import { describe, expect, it } from 'vitest'
import { eachRow } from '../../../test/support/each-row.ts'
import {
  ACCEPTED_BOUNDARIES,
  BOUNDARY_FORMS,
  CLIENT_FORMS,
  DISPOSITION_FORMS,
  disposed,
  FIELD_FORMS,
  type Form,
  MALFORMED_FORMS,
  MULTIPART_BODIES,
  REFUSED_BOUNDARIES,
  REPEATED_FORM,
  type ReadPart,
} from '../../../test/support/multipart-forms.ts'
import { bytesOf } from '../../../test/support/pictures.ts'
import type { ExpectedPart, Judgement } from '../../case.ts'
import { judgeSent, multipartCase, text } from './requests.ts'

// Uploads and the laboratory read the same forms, and refuse the same ones, but for what is listed here.

/** Forms that uploads read, and that are not strict (rule 9 of the suite, RFC 2183). */
const NON_STRICT = [
  // White space around an equals sign.
  'white space',
  ' "x" ',
  // A semicolon before no parameter.
  'a semicolon at the end',
]

/** Boundaries that uploads read, with characters that no boundary has (RFC 2046, 5.1.1). */
const NO_BOUNDARIES = ['spaces and separators', '+*']

function expectPart({ name, filename, type, content }: ReadPart): ExpectedPart {
  const contentType = type?.split(';', 1)[0]
  return {
    name,
    ...(contentType !== undefined && { contentType }),
    ...(filename === undefined ? { expected: text(content) } : { file: { bytes: btoa(content) } }),
  }
}

/** Judges a form whose parts should be those that an upload reads. */
function judgeForm({ body, contentType, expected }: Omit<Form, 'form'>): Judgement {
  const parts = typeof expected === 'string' ? [{ name: 'a', expected: text('hi') }] : expected.map(expectPart)
  return judgeSent(multipartCase(parts), { method: 'POST', type: contentType, body: bytesOf(body) })
}

function verdictOf(form: string): string {
  if (NO_BOUNDARIES.includes(form)) return 'fail'
  return NON_STRICT.includes(form) ? 'non-strict' : 'pass'
}

const FORMS = [...CLIENT_FORMS, ...DISPOSITION_FORMS, ...FIELD_FORMS, ...BOUNDARY_FORMS, REPEATED_FORM]

function judgeBoundary(boundary: string): Judgement {
  const body = disposed('; name=a').replaceAll('--x', `--${boundary}`)
  const contentType = `multipart/form-data; boundary="${boundary}"`
  return judgeForm({ body, contentType, expected: [{ name: 'a', content: 'hi' }] })
}

describe('a form that an upload reads is read', () => {
  const read = FORMS.filter(({ expected }) => typeof expected !== 'string')
  it('whatever its parts are', () =>
    eachRow(read, (form) => {
      const { verdict, reason } = judgeForm(form)
      expect([verdict, reason]).toEqual([verdictOf(form.form), reason])
    }))

  it('with each boundary', () =>
    eachRow(ACCEPTED_BOUNDARIES, (boundary) => expect(judgeBoundary(boundary).verdict).toBe(verdictOf(boundary))))
})

describe('a form that an upload refuses is refused', () => {
  const refused = [...MALFORMED_FORMS, ...FORMS.filter(({ expected }) => typeof expected === 'string')]
  it('whatever its parts are', () =>
    eachRow(refused, (form) => {
      const { verdict, reason } = judgeForm(form)
      expect([verdict, reason]).toEqual(['fail', expect.not.stringMatching(/is missing|There should be no/)])
    }))

  const boundaries = REFUSED_BOUNDARIES.filter((boundary) => /^[ -~]*$/.test(boundary))
  it('with each boundary', () =>
    eachRow(boundaries, (boundary) => expect(judgeBoundary(boundary).verdict).toBe('fail')))
})

/** What a judgement says of a body that cannot be read. */
const NOT_READ = /^The (?:form cannot be read|body is missing)/

/** Bodies in which the first part has no name, before what makes them malformed. */
const NAMELESS = [
  'a body that ends in the content',
  'a body that ends in a delimiter',
  'a body that ends in its last delimiter',
  'a body that ends before its last delimiter',
]

describe('a multipart body', () => {
  // Its parts have no names, which only forms need.
  const read = MULTIPART_BODIES.filter(([, , expected]) => typeof expected !== 'string')
  it('that an upload reads is read', () =>
    eachRow(read, ([name, body]) => {
      const { reason } = judgeForm({ body, contentType: 'multipart/form-data; boundary=x', expected: [] })
      if (name === 'a repeated field') expect(reason).toBe('A part has the header "a" twice.')
      else expect(reason ?? '').not.toMatch(NOT_READ)
    }))

  const refused = MULTIPART_BODIES.filter(([, , expected]) => typeof expected === 'string')
  it('that an upload refuses is refused for the same reason', () =>
    eachRow(refused, ([name, body, expected]) => {
      const { verdict, reason } = judgeForm({ body, contentType: 'multipart/form-data; boundary=x', expected: [] })
      expect(verdict).toBe('fail')
      if (NAMELESS.includes(name)) return
      const isElsewhere = ['no delimiter', 'another boundary'].includes(name)
      const problem = isElsewhere ? 'the boundary of the Content-Type is not in it' : expected
      expect(reason).toBe(body === '' ? 'The body is missing.' : `The form cannot be read: ${problem}.`)
    }))
})
