import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import type { Body, Case, CaseSchema, Encoding, Value } from '../suite/declare.ts'
import { methodOf } from './operations.ts'
import { fileOf, isObject, plain, plainText, tagOf } from './values.ts'
import { wireBody, wireCookie, wireHeaders, wireOf, wirePath, wireQuery } from './wire.ts'

// The form that we would send as commands with curl, for people who want to see a verdict.

/** The bench of the commands. Only runs have the cases of `retry`, so their commands need the URL of one. */
const benchOf = ({ retry }: Case) => (retry ? '"$RUN"' : `${EXAMPLE_ORIGIN}/lab/try`)

/** The commands that pass a case, one on each line. None if the case is open, or if curl alone cannot pass it. */
export function curlOf(spec: Case): string[] {
  const { level, answer, accepts } = spec
  if (level === 'open' || isMoreThanACall(spec)) return []
  if (accepts !== undefined) return [`curl ${urlOf(spec)} -H ${quote(`Accept: ${accepts}`)}`]
  if (answer) return [`curl ${urlOf(spec)}`, writeReport(spec, answer.report.mediaType)]
  const call = writeCall(spec)
  return call === undefined ? [] : [call]
}

/** Retries are the work of a client, and curl repeats only what has no body. */
function isMoreThanACall({ retry, body }: Case): boolean {
  return retry !== undefined && body !== undefined
}

function urlOf(spec: Case): string {
  const { id, rest, parameters = [] } = spec
  const query = wireQuery(parameters)
  const path = `/${id}${wirePath(spec, parameters) || (rest ?? '')}${query && `?${query}`}`
  return benchOf(spec).startsWith('"') ? benchOf(spec) + path : quote(benchOf(spec) + path)
}

function writeReport(spec: Case, mediaType: string): string {
  const wire = wireOf(spec) ?? ''
  const put = `curl -X PUT ${urlOf(spec)} -H ${quote(`Content-Type: ${mediaType}`)}`
  if (mediaType !== 'application/octet-stream') return `${put} -d ${quote(wire)}`
  return `${writeBytes(wire)} | ${put} --data-binary @-`
}

/** @returns Undefined if it needs more than one file */
function writeCall(spec: Case): string | undefined {
  const { parameters = [], redirect, retry, body } = spec
  const method = methodOf(spec).toUpperCase()
  const { input, options } = body ? writeBody(body) : { input: '', options: [] }
  if (options === undefined) return undefined
  const hasBody = options.length > 0
  const cookie = wireCookie(parameters).replace(/^Cookie: /, '')
  const words = [
    'curl',
    redirect && '-L',
    retry && '--retry 2',
    method !== (hasBody ? 'POST' : 'GET') && `-X ${method}`,
    urlOf(spec),
    ...wireHeaders(parameters).map((header) => `-H ${quote(header)}`),
    cookie && `-b ${quote(cookie)}`,
    ...options,
  ]
  return input + words.filter(Boolean).join(' ')
}

/** How curl sends a body. `input` writes what it reads from its standard input. */
function writeBody({ mediaType, schema, input, encoding }: Body): { input: string; options: string[] | undefined } {
  if (input === undefined) return { input: '', options: [] }
  if (mediaType === 'multipart/form-data') return writeParts(schema, input, encoding)
  const type = `-H ${quote(`Content-Type: ${mediaType}`)}`
  const bytes = tagOf(input, '$bytes')
  if (bytes !== undefined) return { input: `${writeBytes(bytes)} | `, options: [type, '--data-binary @-'] }
  return { input: '', options: [type, `-d ${quote(wireBody(mediaType, schema, input, encoding))}`] }
}

function writeParts(
  { properties = {} }: CaseSchema,
  input: Value,
  encoding: Readonly<Record<string, Encoding>> = {},
): ReturnType<typeof writeBody> {
  const files: string[] = []
  const options = Object.entries(isObject(input) ? input : {}).flatMap(([name, value]) => {
    const { contentType, headers = {} } = encoding[name] ?? {}
    return (Array.isArray(value) ? [...value] : [value]).map((item: Value) => {
      const file = fileOf(item)
      if (file) {
        files.push(file.bytes)
        const more = Object.entries(headers).map(([header, part]) => `;headers="${header}: ${part.input}"`)
        return `-F ${quote(`${name}=@-;filename=${file.name};type=${file.type}${more.join('')}`)}`
      }
      const isJson = contentType !== undefined || isObject(item)
      const member = properties[name]
      const text = isJson ? JSON.stringify(plain(item, member)) : plainText(item, member?.items ?? member ?? {})
      // curl takes a quote at the beginning for its own.
      const content = text.startsWith('"') ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text
      return `-F ${quote(`${name}=${content}${isJson ? ';type=application/json' : ''}`)}`
    })
  })
  const [first] = files
  if (first === undefined) return { input: '', options }
  return { input: `${writeBytes(first)} | `, options: files.length > 1 ? undefined : options }
}

/** @param bytes In base64 */
function writeBytes(bytes: string): string {
  return `echo ${quote(bytes)} | base64 -d`
}

/** A word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
