import { definedEntries } from '../lib/objects.ts'
import { escapeAttribute, escapeText, XML_DECLARATION } from './characters.ts'

// Results for CI services, in the format of JUnit.

/** A case. It passed if it has neither a failure nor a reason for which it was skipped. */
export interface JUnitCase {
  suite: string
  /** The name of the suite if absent. */
  className?: string
  name: string
  /** How long it took. The file has no times if no case has one. */
  ms?: number
  failure?: { message: string; text?: string }
  skipped?: string
  output?: string
}

type Attributes = Readonly<Record<string, string | number | undefined>>

/** Writes a file. @param root The attributes of its root: a name, and the counts of all cases (`countCases`) if wanted */
export function writeJUnit(root: Attributes & { name: string }, cases: readonly JUnitCase[]): string {
  const suites = Array.from(
    Map.groupBy(cases, ({ suite }) => suite),
    ([name, its]) => element('testsuite', { name, ...countCases(its) }, `\n${its.map(writeCase).join('')}  `),
  )
  const content = suites.map((suite) => `  ${suite}\n`).join('')
  return `${XML_DECLARATION}${element('testsuites', root, `\n${content}`)}\n`
}

export function countCases(cases: readonly JUnitCase[]): Attributes {
  const times = cases.flatMap(({ ms }) => ms ?? [])
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
    time: times.length > 0 ? toSeconds(times.reduce((sum, ms) => sum + ms, 0)) : undefined,
  }
}

function writeCase({ suite, className = suite, name, ms, failure, skipped, output }: JUnitCase): string {
  const content = [
    failure && element('failure', { message: failure.message }, failure.text && escapeText(failure.text)),
    skipped !== undefined && element('skipped', { message: skipped }),
    output !== undefined && element('system-out', {}, escapeText(output)),
  ].filter((part) => typeof part === 'string')
  const time = ms === undefined ? undefined : toSeconds(ms)
  return `    ${element('testcase', { classname: className, name, time }, content.join('') || undefined)}\n`
}

function element(name: string, attributes: Attributes, content?: string): string {
  const written = definedEntries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`)
  const start = `<${name}${written.join('')}`
  return content === undefined ? `${start}/>` : `${start}>${content}</${name}>`
}

const toSeconds = (ms: number) => (ms / 1000).toFixed(3)
