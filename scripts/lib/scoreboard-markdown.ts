import { GROUPS } from '../../laboratory/case.ts'
import { escapeControls, excerptOf } from '../../laboratory/scoreboard/excerpt.ts'
import type { Cell, Scoreboard } from '../../laboratory/scoreboard/results.ts'
import {
  type CaseView,
  type CauseView,
  type ClientView,
  type Count,
  type EntryView,
  type ReasonView,
  viewScoreboard,
} from '../../laboratory/scoreboard/view.ts'

/** docs/scoreboard.md. Everything in it follows from docs/scoreboard.json, the cases and the causes. */
export function writeScoreboardMarkdown(scoreboard: Scoreboard): string {
  const { clients, cases, causes } = viewScoreboard(scoreboard)
  return [
    introduce(cases.length),
    '## Clients',
    table(['client', 'language', 'version', 'run', 'core', 'extended', ...GROUPS], clients.map(summaryRow)),
    '## Cases',
    LEGEND,
    table(
      ['case', 'level', ...clients.map(({ name }) => name)],
      cases.map((one) => caseRow(one, clients)),
    ),
    '## What was sent',
    SENT,
    ...cases.flatMap(writeCase),
    '## What is left out',
    LEFT_OUT,
    ...clients.flatMap(writeLeftOut),
    '## Causes',
    CAUSES,
    table(['what clients send', 'cells', 'clients', 'evidence', 'decided by'], causes.map(causeRow)),
    DISPUTE,
  ]
    .join('\n\n')
    .concat('\n')
}

const introduce = (count: number) => `# Scoreboard

<!-- Generated from docs/scoreboard.json: npm run scoreboard -->

What real clients send to the ${count} cases of the [laboratory](lab.md), each from the document of the cases, with the
settings that its makers give. The table says what a client sent, and nothing about what it is worth: a team that never
uses a style loses nothing if its client does not know it. \`core\` is specified and in daily use, \`extended\` is specified
and rare, \`open\` is left to implementations by the specification: it is described, and never judged.

A driver without calls written by hand lets the client call each case once ([how](../test/interop/README.md#the-scoreboard)).
Tests run the clients of several languages on each change, and fail if a cell differs.

- [Clients](#clients): how many cases of each level and group passed
- [Cases](#cases): each case with each client
- [What was sent](#what-was-sent), where it differs
- [What is left out](#what-is-left-out), and why
- [Causes](#causes) of the failures
- [If a cell is wrong](#if-a-cell-is-wrong)`

const LEGEND = `\`✓\` passed; \`(✓)\` passed, because servers are tolerant; \`✗\` another value arrived; \`∅\` no request came, or not the second
one; \`i\` the case is open, or the client does not retry, which is no failure; \`–\` left to the user, or the document
cannot say it; \`■\` the generator or its compiler stops at the case; empty: not run yet.`

const SENT = `Each case with what decides it, the form that we would send, and what came instead. The byte is the place where the two
part.`

const LEFT_OUT = `What a tool leaves to its user, and where a generator or its compiler stops. Neither counts as passed.`

const CAUSES = `Most failures have one of these causes. Each has one request as evidence, and the section that decides it. A failure counts
for the first cause that fits it.`

const DISPUTE = `## If a cell is wrong

Read the section that decides the case, then the request. If the specification allows what the client sent, the judge is
too strict: open an issue with the case, the client, and the sentence that allows it. The judge is then mended, and all
cells are made again. If another setting of the tool, or a newer version, sends something else, open an issue with the
command: the column takes the settings that the documentation of the tool recommends for everybody, not for one case.
\`npm run scoreboard -- NAME\` repeats a column, and \`POST /lab/runs\` judges any client anywhere ([lab.md](lab.md)).`

const share = ({ passed, cases }: Count) => `${passed}/${cases}`

function summaryRow({ name, tool, language, version, date, levels, groups }: ClientView): string[] {
  const shown = name === tool ? name : `${name} (${tool})`
  const counts = [levels.core, levels.extended, ...GROUPS.map((group) => groups[group])].map(share)
  return [shown, language, version, date, ...counts]
}

const anchorOf = (id: string) => id.replaceAll('/', '')

const SIGNS: Readonly<Record<Cell['verdict'], string>> = {
  pass: '✓',
  'non-strict': '(✓)',
  fail: '✗',
  incomplete: '∅',
  missing: '∅',
  info: 'i',
  skipped: '–',
  stops: '■',
}

function caseRow({ spec: { id, level }, cells }: CaseView, clients: readonly ClientView[]): string[] {
  const signs = clients.map(({ name }) => {
    const cell = cells[name]
    if (!cell) return ''
    const sign = SIGNS[cell.verdict]
    if (cell.verdict === 'pass') return sign
    const anchor = cell.verdict === 'skipped' || cell.verdict === 'stops' ? anchorOfClient(name) : anchorOf(id)
    return `[${sign}](#${anchor})`
  })
  return [`\`${id}\``, level, ...signs]
}

function writeCase({ spec, entries }: CaseView): string[] {
  if (entries.length === 0) return []
  const { id, title, level, specification } = spec
  const expected = entries.map(({ cell }) => cell.expected).find((one) => one !== undefined)
  const lines = [`${title} (${level}, [section](${specification})).`]
  if (expected !== undefined)
    lines.push(`We would send ${code(excerptOf({ verdict: 'pass', received: expected }) ?? '')}.`)
  return [`### ${id}`, lines.join('\n'), entries.map(writeEntry).join('\n')]
}

function writeEntry({ cell, clients }: EntryView): string {
  const sent = excerptOf(cell)
  const parts = [
    sent === undefined ? NOTHING[cell.verdict] : sent === '' ? 'nothing' : code(sent),
    cell.at === undefined ? undefined : `byte ${cell.at}`,
    cell.reason === undefined ? undefined : prose(cell.reason),
    cell.error === undefined ? undefined : `it says ${code(escapeControls(cell.error))}`,
    cell.verdict === 'non-strict' ? 'passed' : undefined,
  ]
  return `- **${clients.join(', ')}:** ${parts.filter((part) => part !== undefined).join('; ')}`
}

const NOTHING: Readonly<Partial<Record<Cell['verdict'], string>>> = {
  missing: 'no request came',
  incomplete: 'the second request did not come',
}

const anchorOfClient = (name: string) => `${name}-leaves-out`

function writeLeftOut({ name, skipped, stopped }: ClientView): string[] {
  if (skipped.length + stopped.length === 0) return []
  const line = ({ reason, cases }: ReasonView, what: string) =>
    `- ${what} at ${cases.map((id) => `\`${id}\``).join(', ')}: ${prose(reason)}`
  const lines = [
    ...skipped.map((one) => line(one, 'Nothing is called')),
    ...stopped.map((one) => line(one, 'It stops')),
  ]
  return [`### ${name} leaves out`, lines.join('\n')]
}

function causeRow({ title, clients, count, cell, evidence, specification }: CauseView): string[] {
  const sent = excerptOf(cell) ?? escapeControls(cell.error ?? '')
  const shown = sent === '' ? 'nothing' : code(sent)
  const example = `[${evidence.case}](#${anchorOf(evidence.case)}) of ${evidence.client}: ${shown}`
  return [title, String(count), clients.join(', '), example, `[section](${specification})`]
}

/** A text that others have written. */
const prose = (text: string) => escapeControls(text.replaceAll(/\s+/g, ' ')).replaceAll(/[\\`*_<>[\]|#]/g, '\\$&')

/** A text as code, whatever it contains. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const isEdge = /^`|`$|^ .* $/.test(text)
  return isEdge ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
