import type { GateLists } from '../../src/domain/problems.ts'
import type { LabCatalogue } from '../../src/features/lab/catalogue-schema.ts'
import type { LabReport } from '../../src/schemas/lab-run.ts'

/** How much of what a client sent is printed. */
const SHOWN_CHARS_MAX = 200

/** The run for a person: the counts, and each case because of which the gate fails. */
export function summaryOf(
  report: LabReport,
  cases: LabCatalogue['cases'],
  lists: GateLists,
  level: string,
  passes: boolean,
): string {
  const { tool, version, suite, openapi, summary, results } = report
  const counts = (['core', 'extended'] as const).map((name) => {
    const { cases: total, pass, nonStrict, fail, incomplete, info, missing, skipped } = summary[name]
    const others = Object.entries({ fail, incomplete, info, missing, skipped }).filter(([, count]) => count > 0)
    const listed = others.map(([outcome, count]) => `, ${count} ${outcome}`).join('')
    return `${name.padEnd(8)}  ${pass + nonStrict} of ${total} passed${listed}`
  })
  const judged = level === 'core' ? [summary.core] : [summary.core, summary.extended]
  const failed = judged.reduce((sum, { fail, incomplete }) => sum + fail + incomplete, 0)
  const known = failed - lists.unexpected.length
  const unexpected = lists.unexpected.map((id) => {
    const { reason, at, received, expected } = results.find((result) => result.case === id) ?? {}
    const place = at === undefined || at === null ? '' : ` (byte ${at})`
    const lines = [`fail      ${id}${place}: ${reason ?? 'it was begun, and not finished'}`]
    if (received !== undefined && received !== null) lines.push(`  sent      ${shown(received)}`)
    if (expected !== undefined && expected !== null) lines.push(`  expected  ${shown(expected)}`)
    const decides = cases.find((one) => one.id === id)?.specification
    if (decides !== undefined) lines.push(`  decided   ${decides}`)
    return lines.join('\n')
  })
  return [
    '',
    `${tool} ${version}, suite ${suite}, OpenAPI ${openapi}`,
    ...counts,
    ...(summary.core.info + summary.extended.info > 0
      ? ['info: no verdict, because a client may leave it undone.']
      : []),
    ...unexpected,
    ...lists.missing.map((id) => `missing   ${id}: it was not called`),
    ...lists.stale.map((id) => `stale     ${id}: it is expected to fail, and passes`),
    ...(known > 0 ? [`Failed as expected: ${known}.`] : []),
    `The gate for ${level} ${passes ? 'lets pass' : 'fails'}.`,
  ].join('\n')
}

/** A text in one line. */
const shown = (text: string) =>
  JSON.stringify(text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text)

/** Lines without characters that control a terminal. What a client has sent can have them. */
export const printable = (lines: string) =>
  lines.replaceAll(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
