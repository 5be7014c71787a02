import { renderPage } from '../design/page.tsx'
import type { RenderedPage } from '../design/rendered-page.ts'
import { PROBLEMS, type ProblemCode } from '../domain/problems.ts'
import { keysOf } from '../lib/objects.ts'
import { nameStatus } from '../lib/status-phrases.ts'

export function renderProblemsPage(): Promise<RenderedPage> {
  const codesByStatus = Map.groupBy(keysOf(PROBLEMS), (code) => PROBLEMS[code].status)
  const content = (
    <>
      <h1>Problems</h1>
      <p class="lead">
        If a request fails, the response is a document that says what is wrong. The member <code>type</code> of this
        document links to one of these pages.
      </p>
      {[...codesByStatus].map(([status, codes]) => (
        <section>
          <h2>{nameStatus(status)}</h2>
          <ProblemList codes={codes} />
        </section>
      ))}
    </>
  )
  const description = 'All problems with which the API answers a request that fails, by status.'
  return renderPage({ title: 'Problems', description, content })
}

function ProblemList({ codes }: { codes: readonly ProblemCode[] }) {
  return (
    <dl class="terms">
      {codes.map((code) => (
        <div>
          <dt>
            <a href={`/problems/${code}`}>{PROBLEMS[code].title}</a> <code>{code}</code>
          </dt>
          <dd>{firstSentence(PROBLEMS[code].meaning)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The page of the problem has the whole text. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
