import type { Input } from './call-cases.ts'

// Which parameter of a generated function gets which value of an input, by name.

/** The names of the parameters of a function. */
export function parametersOf(generated: (...args: never[]) => unknown): string[] {
  const [, list = ''] = /^[^(]*\(([^)]*)\)/.exec(generated.toString()) ?? []
  return list.split(',').flatMap((parameter) => parameter.split('=')[0]?.trim() || [])
}

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
const PLACES = ['path', 'query', 'header', 'cookie'] as const

/**
 * The parameters of a generated function that has one for each parameter of the document and each member of a form, and
 * one for any other body.
 *
 * @param names Of the function. Generators leave out signs, put `_` before reserved words, and append a digit to the
 *   second of a name.
 */
export function assignParameters(names: readonly string[], { parameters, body }: Input): Map<string, unknown> {
  const isForm = body && FORMS.includes(body.mediaType)
  const given = [...PLACES.map((place) => parameters[place]), isForm ? body.value : {}].flatMap((values) =>
    Object.entries(values ?? {}),
  )
  const seen = new Map<string, number>()
  const assigned = new Map<string, unknown>()
  for (const [name, value] of given) {
    const count = (seen.get(letters(name)) ?? 0) + 1
    seen.set(letters(name), count)
    const wanted = count === 1 ? letters(name) : `${letters(name)}${count}`
    const found = names.find((candidate) => letters(candidate) === wanted)
    // What has no parameter is not sent.
    if (found !== undefined) assigned.set(found, value)
  }
  const rest = names.find((name) => !assigned.has(name))
  if (body && !isForm && rest !== undefined) assigned.set(rest, body.value)
  return assigned
}

const letters = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
