import { CASE_FILES, type CaseFile, type RuleTexts } from '../files.ts'
import type { CaseRules, Rule } from '../rule.ts'
import { rulesOf } from '../suite/rules.ts'
import { CASES } from '../suite/suite.ts'
import { Decision } from './parts.tsx'

/** The file with the rules of all cases, each once. The reports of runs quote them. */
export function renderRules(): CaseFile {
  const texts: string[] = []
  const placeOf = (rule: Rule) => {
    const text = String(<Decision rule={rule} />)
    const known = texts.indexOf(text)
    return known < 0 ? texts.push(text) - 1 : known
  }
  const cases = CASES.map((spec): [string, CaseRules<number>] => {
    const { own, others } = rulesOf(spec)
    const placed = Object.entries(others).map(([part, rule]) => [part, rule && placeOf(rule)])
    return [spec.id, { own: placeOf(own), others: Object.fromEntries(placed) }]
  })
  const file: RuleTexts = { texts, cases: Object.fromEntries(cases) }
  return { name: CASE_FILES.rules, text: JSON.stringify(file) }
}
