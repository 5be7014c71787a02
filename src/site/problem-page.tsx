import { renderPage } from '../design/page.tsx'
import type { RenderedPage } from '../design/rendered-page.ts'
import { toCurlLine } from '../design/snippets/curl.ts'
import { PROBLEMS, type ProblemCode } from '../domain/problems.ts'
import { exampleProblemReply } from '../http/examples.ts'
import { FORMATS } from '../http/pipeline/formats.ts'
import { readBuiltFile } from '../lib/built-file.ts'
import { nameStatus } from '../lib/status-phrases.ts'
import type { ProblemGuide, Provocation } from './problem-guide.ts'

interface ProblemPage {
  code: ProblemCode
  /** The base URL of the world, for the example and the command. */
  baseUrl: string
  /** Whether callers can request the example of a problem with `Prefer`. */
  demoControls: boolean
}

/** The file with the guides. The build writes it (scripts/lib/problem-guides.ts). */
const GUIDES_FILE = '/problems/guides.json'

/**
 * The page to which the `type` of a problem links (RFC 9457, section 3.1.1).
 *
 * @throws What `readBuiltFile` throws
 */
export async function renderProblemPage(page: ProblemPage, assets: Fetcher): Promise<RenderedPage> {
  const { title, status, meaning } = PROBLEMS[page.code]
  const guides: Record<ProblemCode, ProblemGuide> = JSON.parse(await readBuiltFile(assets, GUIDES_FILE))
  return await renderPage({
    title: `${title} (${status})`,
    description: meaning,
    content: <Problem {...page} guide={guides[page.code]} />,
  })
}

function Problem({ code, baseUrl, demoControls, guide: texts }: ProblemPage & { guide: ProblemGuide }) {
  const { status, title, meaning } = PROBLEMS[code]
  const { causes, remedies, standard, guide, provocation } = texts
  const standardUrl = `https://www.rfc-editor.org/rfc/rfc${standard.rfc}#section-${standard.section}`
  return (
    <>
      <p class="eyebrow">
        <a href="/problems">Problems</a> / <code>{code}</code>
      </p>
      <h1>{title}</h1>
      <p class="lead">{meaning}</p>
      <p>
        The status is {status}. The standard has more details:{' '}
        <a href={standardUrl} rel="noreferrer">
          RFC {standard.rfc}, section {standard.section}
        </a>
        .
      </p>
      <h2>Usual causes</h2>
      <Sentences of={causes} />
      <h2>What to do</h2>
      <Sentences of={remedies} />
      {guide && (
        <p>
          <a href={guide.path}>{guide.title}</a> in the guides explains more.
        </p>
      )}
      <h2>What it looks like</h2>
      <pre>
        <code>{writeResponse(code, baseUrl)}</code>
      </pre>
      <p class="hint">
        A problem is a document of{' '}
        <a href="https://www.rfc-editor.org/rfc/rfc9457" rel="noreferrer">
          RFC 9457
        </a>
        . With <code>Accept: application/xml</code>, it is XML.
      </p>
      {provocation && (demoControls || provocation.isReal) && (
        <>
          <h2>Get it now</h2>
          <p>{explainCommand(provocation)}</p>
          <pre>
            <code>{writeCommand(code, provocation, baseUrl)}</code>
          </pre>
        </>
      )}
    </>
  )
}

/** Shows the names in a sentence (between backticks) as code. */
function Sentences({ of: sentences }: { of: readonly string[] }) {
  return (
    <ul>
      {/* The parts at odd positions are between backticks. */}
      {sentences.map((sentence) => (
        <li>{sentence.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</li>
      ))}
    </ul>
  )
}

/** The example response as it is sent with HTTP/1.1. */
function writeResponse(code: ProblemCode, baseUrl: string): string {
  const { document, headers } = exampleProblemReply(code, baseUrl)
  const lines = Object.entries({ 'Content-Type': FORMATS.json.problemType, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const start = `HTTP/1.1 ${nameStatus(document.status)}`
  return [start, ...lines, '', JSON.stringify(document, null, 2)].join('\n')
}

function explainCommand({ isReal }: Provocation) {
  if (isReal) return 'This request causes the problem:'
  return (
    <>
      With the header <code>Prefer</code>, the service responds as if the problem had occurred. The request changes
      nothing, so you can test how your program handles the problem:
    </>
  )
}

/** The request as a command of curl. */
function writeCommand(code: ProblemCode, { method, path, isReal }: Provocation, baseUrl: string): string {
  return toCurlLine({
    method: method.toUpperCase(),
    url: baseUrl + path,
    headers: isReal ? [] : [['Prefer', `code=${PROBLEMS[code].status}, example=${code}`]],
  })
}
