import type { ExpectedParameter } from '../case.ts'
import { type Part, quote, report } from './part.ts'
import { decodePercent, IN_PATH, rulesFor } from './percent.ts'
import { compareLabel, compareMatrix, compareSimple, type Decode } from './styles.ts'
import { findDifference, type Slice, split, toBytes } from './text.ts'

const COMPARISONS = { label: compareLabel, matrix: compareMatrix, simple: compareSimple }

/** The segments that are not empty, because hops make one slash of two. */
const segmentsOf = (path: string): readonly Slice[] =>
  [...split(path, [0, path.length], /\//g)].filter(([start, end]) => end > start)

/**
 * Compares the path below the name of a case.
 * @param template As in the document, such as `/{second}/x/{first}`
 * @param endsInSlash Whether the path does, also if it is empty because that slash comes after the name of the case
 */
export function comparePath(
  part: Part,
  template: string,
  parameters: readonly ExpectedParameter[],
  endsInSlash: boolean,
): void {
  const path = part.received
  const segments = segmentsOf(path)
  const wanted = segmentsOf(template)
  const extra = segments[wanted.length]
  if (extra) {
    // The slash before it, if there is one.
    const at = Math.max(0, extra[0] - 1)
    report(part, 'fail', at, `The path goes on with ${quote(path.slice(...extra))} after a slash that is not encoded.`)
  }
  wanted.forEach((slice, index) => {
    const segment = segments[index]
    if (segment) compareSegment(part, segment, template.slice(...slice), parameters)
  })
  if (segments.length < wanted.length) report(part, 'fail', path.length, 'A segment of the path is missing.')
  else if (endsInSlash) {
    const at = segments.at(-1)?.[1] ?? 0
    report(part, 'fail', at, 'The path ends in a slash, and so is that of another resource (RFC 3986, 6.2.3).')
  }
}

/** Compares a segment with one of the template, which has at most one parameter. */
function compareSegment(part: Part, segment: Slice, template: string, parameters: readonly ExpectedParameter[]): void {
  const [, before = '', name, after = ''] = /^([^{]*)(?:\{(.*)\}(.*))?$/.exec(template) ?? []
  const parameter = parameters.find((candidate) => candidate.name === name)
  const rules = rulesFor(IN_PATH, parameter ?? {})
  const decode: Decode = (slice) => decodePercent(part, slice, rules)
  const whole = decode(segment)
  const text = toBytes(before)
  const difference = findDifference(whole.value.slice(0, text.length), text)
  if (difference >= 0) {
    report(
      part,
      'fail',
      whole.at(difference),
      `The segment ${quote(whole.value)} of the path does not begin with ${quote(text)}.`,
    )
    return
  }
  if (!whole.value.endsWith(after)) {
    report(
      part,
      'fail',
      segment[1],
      `The segment ${quote(whole.value)} of the path does not end with ${quote(toBytes(after))}.`,
    )
  }
  const end = whole.value.endsWith(after) ? whole.at(whole.value.length - after.length) : segment[1]
  const slice: Slice = [whole.at(text.length), end]
  if (!parameter) {
    if (slice[0] < slice[1])
      report(part, 'fail', slice[0], `The segment ${quote(whole.value)} of the path is too long.`)
    return
  }
  const compare = COMPARISONS[parameter.style as keyof typeof COMPARISONS] ?? compareSimple
  compare(part, slice, parameter, decode)
}
