import { renderPage } from '../design/page.tsx'
import { PROBLEMS, type ProblemCode } from '../domain/problems.ts'

/** The page to which the `type` of a problem links (RFC 9457, section 3.1.1). */
export function renderProblemPage(code: ProblemCode): Promise<string> {
  const { status, title, meaning, example } = PROBLEMS[code]
  const content = (
    <>
      <p>
        Galaxy, problem <code>{code}</code>
      </p>
      <h1>{title}</h1>
      <p>
        Status {status}. {meaning}
      </p>
      <p>For example: {example.detail}</p>
    </>
  )
  return renderPage({ title: `${title} (${status})`, content })
}
