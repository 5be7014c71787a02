import type { PartName } from '../../../laboratory/case.ts'
import { ownAddress } from '../../service/own-address.ts'
import type { Column } from './column.ts'

// What the frame asks of a running service.

/** A case of the catalogue, as far as the scoreboard needs it. */
export interface CatalogueCase {
  id: string
  group: string
  versions: readonly string[]
}

export interface Catalogue {
  /** The date of the suite. */
  suite: string
  cases: readonly CatalogueCase[]
}

/** A result of a run. */
export interface Result {
  case: string
  verdict: 'pass' | 'non-strict' | 'fail' | 'info' | 'incomplete'
  reason: string | null
  /** Not in the results of the service, whose verdicts do not name it. */
  part?: PartName | null
  at: number | null
  received: string | null
  encoding: 'base64' | null
  expected: string | null
}

/** @throws Error if the service answers with an error */
async function get(url: string): Promise<Response> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response
}

export async function readCatalogue(service: string): Promise<Catalogue> {
  return await (await get(`${service}/lab/cases`)).json()
}

/** Stands for the service in documents, so that a client is built once, whatever the port. */
const SERVICE = 'http://galaxy.example'

/**
 * The document of the cases.
 *
 * @param without Ids and groups that are left out
 * @param only The ids and groups that it has, all if absent
 */
export async function readDocument(
  service: string,
  document: Column['document'],
  without: readonly string[],
  only?: readonly string[],
): Promise<string> {
  const selection = new URLSearchParams()
  if (without.length > 0) selection.set('without', without.join(','))
  if (only) selection.set('only', only.join(','))
  const text = await (await get(`${service}/lab/${document}?${selection}`)).text()
  return text.replaceAll(service, SERVICE)
}

/** @returns The URL of the new run, which is a bench */
export async function beginRun(
  service: string,
  run: { tool: string; version: string; openapi: string; skip: Readonly<Record<string, string>> },
): Promise<string> {
  const response = await fetch(`${service}/lab/runs`, {
    method: 'POST',
    headers: { ...ownAddress(), 'Content-Type': 'application/json' },
    body: JSON.stringify(run),
  })
  if (response.status !== 201) throw new Error(`POST /lab/runs: ${response.status} ${await response.text()}`)
  const { url } = await response.json()
  return url
}

/** The results of a run: only cases that were called. */
export async function readResults(run: string): Promise<readonly Result[]> {
  const { results } = await (await get(run)).json()
  return results
}
