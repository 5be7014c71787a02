import { Code, Tabs } from '../../src/design/tabs.tsx'
import { WithCode } from '../../src/design/with-code.tsx'
import { escapeControls } from '../difference.ts'
import { catalogueEntryOf } from '../documents/catalogue.ts'
import { curlOf } from '../documents/curl.ts'
import { describeCase } from '../documents/operations.ts'
import { wireOf } from '../documents/wire.ts'
import { type CaseFile, caseFile } from '../files.ts'
import { nameSection } from '../rule.ts'
import type { Scoreboard } from '../scoreboard/results.ts'
import type { Case } from '../suite/declare.ts'
import { ruleOf } from '../suite/rules.ts'
import { CASES } from '../suite/suite.ts'
import { Bench, curlOfForm, hasBench } from './bench.tsx'
import { fetchOf, httpOf, shownRequestOf } from './code.ts'
import { Decision, shorten, valuesIn } from './parts.tsx'
import { RealClients } from './real-clients.tsx'

/** The files of each case: as JSON, and the content of its page. */
export function renderCases(scoreboard: Scoreboard): CaseFile[] {
  return CASES.flatMap((spec, place) => [
    { name: caseFile(spec.id, 'json'), text: `${JSON.stringify(catalogueEntryOf(spec), null, 2)}\n` },
    {
      name: caseFile(spec.id, 'txt'),
      text: String(<OneCase spec={spec} previous={CASES[place - 1]} next={CASES[place + 1]} scoreboard={scoreboard} />),
    },
  ])
}

interface CasePage {
  spec: Case
  previous: Case | undefined
  next: Case | undefined
  scoreboard: Scoreboard
}

function OneCase({ spec, previous, next, scoreboard }: CasePage) {
  const { id, title } = spec
  return (
    <>
      <p class="eyebrow">
        <a href="/lab">The laboratory</a>, <a href={`/lab?group=${spec.group}#cases`}>{spec.group}</a>
      </p>
      <h1>
        <code>{id}</code>
      </h1>
      <p class="lead">
        <WithCode text={title} />. <span class="badge">{spec.level}</span>
      </p>
      {hasBench(spec) ? (
        <Bench spec={spec} />
      ) : (
        <p>
          Retries are judged in a <a href="/lab#client">run</a> only, because one request shows nothing of them.
        </p>
      )}
      <h2>The case</h2>
      <Facts spec={spec} />
      <h2>The request</h2>
      <Request spec={spec} />
      <h2 id="clients">What real clients send</h2>
      <RealClients spec={spec} scoreboard={scoreboard} />
      <Operation spec={spec} />
      <nav class="neighbours" aria-label="Cases">
        {previous && (
          <a rel="prev" href={`/lab/cases/${previous.id}`}>
            ← {previous.id}
          </a>
        )}
        {next && (
          <a rel="next" href={`/lab/cases/${next.id}`}>
            {next.id} →
          </a>
        )}
      </nav>
    </>
  )
}

/** What the levels mean. */
const LEVELS = {
  core: 'specified, and in daily use',
  extended: 'specified, and rare',
  open: 'left to implementations by the specification, so it is described, and never judged',
} as const

function Facts({ spec }: { spec: Case }) {
  const { level, specification, answer } = spec
  const { input, wire } = catalogueEntryOf(spec)
  const rule = ruleOf(spec, undefined)
  return (
    <dl class="terms">
      <Fact name="Level">
        <code>{level}</code>: {LEVELS[level]}
      </Fact>
      <Lines name="Value to send" lines={valuesIn(input)} />
      {answer && level !== 'open' ? (
        <Lines name="What PUT should carry" lines={[shorten(escapeControls(wireOf(spec) ?? ''))]} />
      ) : (
        <Lines name="Form that we would send" lines={wire === null ? [] : [escapeControls(wire)]} />
      )}
      <Fact name="What decides it">
        {rule.url !== specification && (
          <>
            <a href={specification}>{nameSection(specification)}</a>, by{' '}
          </>
        )}
        <Decision rule={rule} />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children?: unknown }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Lines({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <Fact name={name}>
      {lines.map((line) => (
        <div>
          <code>{line}</code>
        </div>
      ))}
    </Fact>
  )
}

function Request({ spec }: { spec: Case }) {
  const request = shownRequestOf(spec)
  const commands = curlOf(spec)
  const curl = commands.length > 0 || spec.retry ? commands : [curlOfForm(request)]
  const codes = [
    { id: 'http', label: 'HTTP', code: httpOf(spec, request) },
    { id: 'curl', label: 'curl', code: curl.join('\n') },
    { id: 'fetch', label: 'fetch', code: fetchOf(spec, request) },
  ]
  const tabs = codes
    .filter(({ code }) => code !== '')
    .map(({ code, ...tab }) => ({ ...tab, content: <Code label={`The request with ${tab.label}`} code={code} /> }))
  return (
    <>
      {spec.level === 'open' && <p>The specification leaves the form open. This is one of them.</p>}
      {spec.retry && (
        <p>
          <code>RUN</code> is the URL of a run.
        </p>
      )}
      <Tabs name="lab-request" label="The request as code" level="h3" tabs={tabs} />
    </>
  )
}

/** In 3.1, if that can say it. */
function Operation({ spec }: { spec: Case }) {
  const version = spec.versions.includes('3.1') ? '3.1' : '3.2'
  const described = describeCase(spec, version)
  if (!described) return null
  const { path, item, schemas } = described
  const hasSchemas = Object.keys(schemas).length > 0
  const part = { paths: { [path]: item }, ...(hasSchemas && { components: { schemas } }) }
  return (
    <details class="bench-operation">
      <summary>The operation in OpenAPI {version}</summary>
      <Code label="The operation" code={JSON.stringify(part, null, 2)} />
    </details>
  )
}
