import type { JudgedCase, PartName } from '../case.ts'
import { bytesOf } from '../difference.ts'
import { partOf } from '../judge/shown-part.ts'
import { type BenchRequest, bodyBytesOf, headerOf, readBytes } from './request.ts'

/**
 * The part of a request that was judged, which a verdict does not name: the one that is what was received. The one that
 * the case is about comes first, and is taken if there is no other.
 */
export function findSentPart(
  judged: Pick<JudgedCase, 'id' | 'parameters' | 'accepts'>,
  request: BenchRequest,
  { received, encoding }: { received: string | null; encoding: 'base64' | null },
): PartName {
  const usual = partOf(judged)
  if (received === null) return usual
  const names = request.headers.map(([name]): PartName => `header ${name.toLowerCase()}`)
  const wanted = bytesOf(received, encoding)
  const parts: PartName[] = [usual, 'header content-type', 'header content-encoding', 'path', 'query', ...names, 'body']
  return parts.find((part) => isBeginning(wanted, bytesOfPart(judged.id, request, part))) ?? usual
}

function bytesOfPart(id: string, request: BenchRequest, part: PartName): Uint8Array {
  const [path = '', query = ''] = request.target.slice(id.length + 1).split(/\?(.*)/s)
  if (part === 'path') return readBytes(path.replace(/^\/+/, ''))
  if (part === 'query') return readBytes(query)
  if (part === 'body') return bodyBytesOf(request)
  return readBytes(headerOf(request, part === 'cookie' ? part : part.replace('header ', '')) ?? '')
}

/** Whether bytes are all of others, or as many of them as are shown (2,048, or some fewer before a character). */
function isBeginning(shown: Uint8Array, whole: Uint8Array): boolean {
  const isWhole = shown.length === whole.length || (shown.length < whole.length && shown.length > 2040)
  return isWhole && shown.every((byte, index) => byte === whole[index])
}
