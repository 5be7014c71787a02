import type { JudgedCase } from '../../../laboratory/case.ts'
import { decodeContent } from '../../../laboratory/content-coding.ts'
import { BODY_MAX_BYTES, cases, findCase, judgeAll, type SeenRequest } from '../../../laboratory/library.ts'
import type { Cells } from '../../../laboratory/scoreboard/results.ts'
import type { Catalogue, Result } from './bench.ts'
import { makeCells } from './cells.ts'
import type { Column } from './column.ts'
import type { SentRequest } from './recorder.ts'
import type { Recording } from './recordings.ts'

/** The cells of a column, from its stored requests, by the judge as it is now. Cases that it was not asked have none. */
export function judgeRecording(column: Column, { cases: ids, errors, requests }: Omit<Recording, 'inputs'>): Cells {
  const asked = cases.filter(({ id }) => ids.includes(id))
  const catalogue: Catalogue = { suite: '', cases: asked }
  const results = asked.flatMap(({ id }) => {
    const judged = findCase(id)
    const own = requests.filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && isOf(url, id))
    const seen = own.map((request) => arriveAt(judged, request))
    if (seen.length === 0) return []
    const { verdict, reason, part, at, received, encoding, expected } = judgeAll(judged, seen)
    return [{ case: id, verdict, reason, part, at, received, encoding, expected } satisfies Result]
  })
  return makeCells(catalogue, column, results, new Map(Object.entries(errors)))
}

const pathOf = (id: string) => new RegExp(`^/+${id.replace('/', '/+')}(/[^?]*)?(?:\\?(.*))?$`, 's')

const isOf = (url: string, id: string) => pathOf(id).test(url)

function arriveAt({ id }: JudgedCase, { at, method, url, headers, body }: SentRequest): SeenRequest {
  const [, rest = '', query = ''] = pathOf(id).exec(url) ?? []
  // A header that is there twice is joined, as Fetch does it.
  const get = (name: string) => {
    const values = headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
    return values.length > 0 ? values.join(', ') : null
  }
  const bytes = new Uint8Array(Buffer.from(body, 'base64'))
  const decoded = decodeContent(bytes, get('Content-Encoding'), BODY_MAX_BYTES)
  if (!decoded) throw new Error(`What was sent to ${id} decodes to too much.`)
  return { at, arrived: { method, rest, query, headers: { get }, ...decoded } }
}
