import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bodyBytesOf, readBytes, showBytes, showMultipart } from '../bench/request.ts'
import { judgeSync } from '../library.ts'
import { benchFormsOf } from '../suite/forms/index.ts'
import { CASES } from '../suite/suite.ts'

// The forms of the bench: each gets the verdict that it names.

const WITH_FORMS = CASES.filter(({ group }) => group !== 'retry')

it.each(WITH_FORMS.map((spec) => [spec.id, spec] as const))(
  '%s has forms with the verdicts that they name',
  (id, spec) => {
    const forms = benchFormsOf(spec)
    const judged = forms
      // A redirect is judged where it ends, and these bytes are no header of Node.
      .filter(({ request }) => id !== 'header/utf8' && !(spec.redirect && !request.target.includes('/target')))
      .map(({ name, request }) => {
        const { method, target, headers } = request
        const { verdict, reason } = judgeSync(id, { method, url: target, headers, body: bodyBytesOf(request) })
        return { name, verdict, reason: spec.level === 'open' ? reason : undefined }
      })
    const wanted = forms.map(({ name, verdict }) => ({ name, verdict, reason: verdict === 'info' ? name : undefined }))
    expect(wanted).toEqual(expect.arrayContaining(judged))
    const others = forms.filter(({ name }) => name !== 'as it should be')
    expect(others.length).toBeGreaterThanOrEqual(1)
    expect(others.length).toBeLessThanOrEqual(3)
    expect(new Set(forms.map(({ request }) => JSON.stringify(request))).size).toBe(forms.length)
    expect(forms.some(({ name }) => name === 'as it should be')).toBe(spec.level !== 'open')
  },
)

it('shows bytes as a text that is read as the same bytes', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .string({ unit: fc.constantFrom(...'\\x0aé🪐\r\n\ufeff\u2028', 'x41', '\\x41') })
      .map((text) => new TextEncoder().encode(text)),
  )
  fc.assert(
    fc.property(noise, (bytes) => {
      expect(readBytes(showBytes(bytes))).toEqual(new Uint8Array(bytes))
      const headers = [['Content-Type', 'multipart/form-data; boundary=galaxy']] as const
      expect(bodyBytesOf({ headers, body: showMultipart(bytes) })).toEqual(new Uint8Array(bytes))
    }),
  )
})
