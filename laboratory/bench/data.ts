import type { JudgedCase, Verdict } from '../case.ts'
import type { CaseRules, Rule } from '../rule.ts'
import type { BenchRequest } from './request.ts'

/** A request to a case, and the verdict that it gets. */
export interface BenchForm {
  name: string
  verdict: Verdict
  request: BenchRequest
}

/** What a page knows about the case on its bench. */
export interface BenchData {
  judged: Pick<JudgedCase, 'id' | 'parameters' | 'accepts' | 'wire' | 'forms'>
  forms: readonly BenchForm[]
  rules: CaseRules<Rule>
}
