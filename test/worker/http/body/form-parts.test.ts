import { describe, expect, it } from 'vitest'
import { readFormParts } from '../../../../src/http/body/form-parts.ts'
import { MalformedMultipart } from '../../../../src/lib/multipart.ts'
import {
  BOUNDARY_FORMS,
  CLIENT_FORMS,
  DISPOSITION_FORMS,
  disposed,
  FIELD_FORMS,
  type Form,
  MALFORMED_FORMS,
  REPEATED_FORM,
  type ReadPart,
} from '../../../support/multipart-forms.ts'
import { bytesOf } from '../../../support/pictures.ts'

/** The parts of a form. @returns What is wrong with it, if it is malformed */
function read({ body, contentType }: Pick<Form, 'body' | 'contentType'>): readonly ReadPart[] | string {
  const parts: ReadPart[] = []
  try {
    readFormParts(bytesOf(body), contentType, ({ name, filename, type, content }) => {
      const text = new TextDecoder('latin1').decode(content)
      parts.push({ name, ...(filename !== undefined && { filename }), ...(type !== '' && { type }), content: text })
    })
    return parts
  } catch (error) {
    if (error instanceof MalformedMultipart) return error.message
    throw error
  }
}

const plainForm = (body: string) => ({ body, contentType: 'multipart/form-data; boundary=x' })
const rows = (forms: readonly Form[]) => forms.map((form) => [form.form, form] as const)

describe('a part of a form', () => {
  it.each(rows(CLIENT_FORMS))('of %s is read', (_, form) => {
    expect(read(form)).toEqual(form.expected)
  })

  it.each(rows(DISPOSITION_FORMS))('whose Content-Disposition has %s is read', (_, form) => {
    expect(read(form)).toEqual(form.expected)
  })

  it.each(rows(FIELD_FORMS))('with the field %j is read', (_, form) => {
    expect(read(form)).toEqual(form.expected)
  })

  it.each(rows(MALFORMED_FORMS))('that %s makes the form malformed', (_, form) => {
    expect(read(form)).toBe(form.expected)
  })
})

describe('a form', () => {
  it.each(rows(BOUNDARY_FORMS))('with the boundary %j is read, or is malformed', (_, form) => {
    expect(read(form)).toEqual(form.expected)
  })

  it('has repeated names, empty contents and nested bodies as they are', () => {
    expect(read(REPEATED_FORM)).toEqual(REPEATED_FORM.expected)
  })

  it('has contents of every byte, in any number of pieces', () => {
    const content = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code)).repeat(1000)
    const told = new TextDecoder('latin1').decode(bytesOf(content))
    expect(read(plainForm(disposed('; name=image', content)))).toEqual([{ name: 'image', content: told }])
  })

  it.each([
    ['semicolons', `; name=a${';'.repeat(16_000)}x`],
    ['white space', `; name${' '.repeat(16_000)}x`],
    ['quotes', `; name=${'"'.repeat(16_000)}`],
    ['backslashes', `; name="${'\\'.repeat(16_000)}`],
    ['letters', `; ${'a'.repeat(16_000)}`],
  ])('with many parameters of %s is refused in a time in proportion to its size', (_, parameters) => {
    for (let round = 0; round < 60; round++) expect(read(plainForm(disposed(parameters)))).toBeTypeOf('string')
  })
})
