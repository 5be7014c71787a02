import type { PartName } from './case.ts'

// What decides a verdict. The rules are data of the suite (suite/rules.ts). Pages, also in browsers, and reports get those
// of a case.

/** A section of a specification, and the words that decide. */
export interface Rule {
  url: string
  /** Code stands between backticks. */
  text: string
  /**
   * `quote`: the words of the section, in which `…` stands for what is left out. `row`: cells of one of its tables. `ours`:
   * in our words, because no sentence of it says this alone.
   */
  kind: 'quote' | 'row' | 'ours'
}

/** What stands before the words of a rule. */
export const RULE_LEADS: Readonly<Record<Rule['kind'], string>> = { quote: '', row: 'the row ', ours: 'in our words, ' }

export interface CaseRules<Shown> {
  own: Shown
  /** Those of the parts of a request that the case is not about. */
  others: Readonly<Partial<Record<PartName, Shown>>>
}

/** The rule of the part that was judged. It is that of the case if no part was, or if it is not known which. */
export function ruleOfPart<Shown>({ own, others }: CaseRules<Shown>, part: PartName | null | undefined): Shown {
  return (part && others[part]) ?? own
}

/** Registry: how the sections of a specification are named, by the form of their URLs. */
const NAMES: readonly (readonly [url: RegExp, name: (parts: readonly string[]) => string])[] = [
  [/rfc(\d+)\.html#([a-z]+)-(.*)$/, ([rfc, kind, number]) => `RFC ${rfc}, ${kind} ${number}`],
  // Anchors that are there twice end in a number.
  [
    /oas\/v([\d.]+)\.html#(.*?)(?:-\d+)?$/,
    ([version, words = '']) => `OpenAPI ${version}, ${words.replaceAll('-', ' ')}`,
  ],
  [/json-schema-validation-00#section-(.*)$/, ([number]) => `JSON Schema Validation 2020-12, section ${number}`],
  [/json-schema-00#section-(.*)$/, ([number]) => `JSON Schema 2020-12, section ${number}`],
  [/TR\/xml\/#(.*)$/, ([words]) => `XML 1.0, ${words}`],
]

/** The name of a section of a specification, from its URL: `RFC 9110, section 12.5.1`. */
export function nameSection(url: string): string {
  for (const [pattern, name] of NAMES) {
    const found = pattern.exec(url)
    if (found) return name(found.slice(1))
  }
  return url
}
