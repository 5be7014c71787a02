import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { type CurlBody, pipeBytes, quote, writeCurl } from '../bench/curl.ts'
import type { BenchRequest } from '../bench/request.ts'
import type { Body, Case } from '../suite/declare.ts'
import { fileIn, partsOf } from './multipart.ts'
import { joinRequest, requestPartsOf } from './request.ts'

// The request that we would send as commands with curl, for people who want to see a verdict.

/** The commands that pass a case, one on each line. None if the case is open, or if curl alone cannot pass it. */
export function curlOf(spec: Case): string[] {
  const { level, answer, redirect, retry, body } = spec
  if (level === 'open' || isMoreThanACall(spec)) return []
  const request = joinRequest(spec, requestPartsOf(spec))
  const url = urlOf(spec, request)
  const options = [...(redirect ? ['-L'] : []), ...(retry ? ['--retry 2'] : [])]
  const parts = body?.mediaType === 'multipart/form-data' ? writeParts(body) : undefined
  // curl adds the boundary.
  const call = parts
    ? writeCurl({ ...request, headers: [] }, url, { options, body: parts })
    : writeCurl(request, url, { options })
  return answer ? [`curl ${url}`, call] : [call]
}

/** Retries are the work of a client, and curl repeats only what has no body. */
function isMoreThanACall({ retry, body }: Case): boolean {
  return retry !== undefined && body !== undefined
}

/** Only runs have the cases of `retry`, so their commands need the URL of one. */
function urlOf({ retry }: Case, { target }: BenchRequest): string {
  return retry ? `"$RUN"${target}` : quote(`${EXAMPLE_ORIGIN}/lab/try${target}`)
}

/** @returns Undefined if it needs more than one file, which curl does not read from its standard input */
function writeParts(body: Body): CurlBody | undefined {
  const parts = partsOf(body)
  const files = parts.flatMap((part) => fileIn(part)?.bytes ?? [])
  if (files.length > 1) return undefined
  const options = parts.map((part) => {
    const { name, type, headers } = part
    const file = fileIn(part)
    const more = Object.entries(headers).map((header) => `;headers="${header.join(': ')}"`)
    if (file) return `-F ${quote(`${name}=@-;filename=${file.name};type=${type}${more.join('')}`)}`
    // curl takes a quote at the beginning for its own.
    const content = String(part.content)
    const text = content.startsWith('"') ? `"${content.replaceAll(/["\\]/g, '\\$&')}"` : content
    return `-F ${quote(`${name}=${text}${type === undefined ? '' : `;type=${type}`}`)}`
  })
  return { input: files.map(pipeBytes).join(''), options }
}
