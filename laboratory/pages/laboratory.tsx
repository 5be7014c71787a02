import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { anchorOf } from '../anchor.ts'
import { GROUPS, type Group } from '../case.ts'
import { type CatalogueEntry, catalogueEntryOf } from '../documents/catalogue.ts'
import { curlOf } from '../documents/curl.ts'
import type { Case } from '../suite/declare.ts'
import { SUITE } from '../suite/suite.ts'

// The content of the page `/lab`. The build renders it, because it is the same in all worlds but for the address.

const ABOUT: Readonly<Record<Group, string>> = {
  path: 'Parameters in the path, in each style.',
  query: 'Parameters in the query.',
  header: 'Parameters in headers.',
  cookie: 'Parameters in cookies.',
  form: 'Bodies of application/x-www-form-urlencoded.',
  multipart: 'Bodies of multipart/form-data.',
  body: 'Bodies of JSON, text and bytes.',
  xml: 'Bodies of XML.',
  response:
    'Responses that are hard to read: GET them, and send what the client read with PUT, whose operationId has Report ' +
    'at the end. Its schema says what: the value itself, or the status and a few members, as in the calls below. ' +
    'Only response/accept is done with GET.',
  redirect: 'Redirects, which are judged where they end.',
  retry: 'Answers that ask to come again, or that nobody should repeat. Only runs have them.',
}

const START = `BASE=${EXAMPLE_ORIGIN}
# 1. A run records what your client sends.
RUN=$(curl -s $BASE/lab/runs -H 'Content-Type: application/json' \\
  -d '{"tool": "my-client", "version": "1.0"}' | jq -r .url)
# 2. Make a client from the document of the cases. Here with hey-api; openapi-3.0.json is there too.
npx -p typescript@5 -p @hey-api/openapi-ts openapi-ts -i $RUN/openapi.json -o lab-client
# 3. Your program calls each operation of $BASE/lab/cases, with its input.
LAB_URL=$RUN ./call-every-case
# 4. The report shows each difference. The gate fails if a core case failed or was not called.
echo $RUN/report
curl --fail-with-body $RUN/gate`

const COMMAND = 'npx --no-install galaxy lab --tool my-client -- ./call-every-case'

const ONE = `curl '${EXAMPLE_ORIGIN}/lab/try/query/form-array?color=blue%2Cblack%2Cbrown'`

const VERDICT = `{"case": "query/form-array", "level": "core", "verdict": "fail",
 "reason": "The comma between items is encoded, so one item arrived: \\"blue,black,brown\\".",
 "at": 10, "received": "color=blue%2Cblack%2Cbrown", "encoding": null,
 "expected": "color=blue,black,brown"}`

/** The content of the page, as HTML. */
export function renderLaboratory(cases: readonly Case[]): string {
  const groups = GROUPS.map((group) => ({ group, cases: cases.filter((spec) => spec.group === group) }))
  return String(
    <>
      <h1>The laboratory</h1>
      <p class="lead">
        An acid test for API clients, generators, gateways and importers. Call its {cases.length} cases with your
        client: the laboratory judges what arrives, and names the byte where it differs from the specification.
      </p>
      <h2 id="start">Begin</h2>
      <p>A client is judged in four steps, here in a shell. No credentials are required.</p>
      <Code text={START} label="Commands to judge a client" />
      <p>
        <code>call-every-case</code> is yours to write: a loop over <code>cases</code> of <code>/lab/cases</code>, which
        calls the client's operation <code>operationId</code> with <code>input</code>, goes on after an error, and for{' '}
        <code>response</code> also calls <code>{'{operationId}Report'}</code> with what was read. docs/lab.md in the
        project has such programs in JavaScript and Go.
      </p>
      <p>With the package of the project, one command starts a service for CI, makes the run and asks the gate:</p>
      <Code text={COMMAND} label="All steps in one command" />
      <p>Each request to a case returns its verdict at once. You can try one by hand:</p>
      <Code text={ONE} label="A request to a case" />
      <Code text={VERDICT} label="Its verdict" />
      <h2 id="words">Words</h2>
      <Words />
      <h2 id="addresses">Addresses</h2>
      <Addresses />
      <h2 id="cases">Cases</h2>
      <p>
        Suite {SUITE}. A case never changes its meaning. Below each are the values to send, the form that we would send,
        and a call of it. Other forms pass too if they are legal and mean the same values.
      </p>
      <nav aria-label="Groups of cases" class="lab-groups">
        {groups.map(({ group, cases: { length } }) => (
          <a href={`#${group}`}>
            {group} <span class="soft">{length}</span>
          </a>
        ))}
      </nav>
      {groups.map((one) => (
        <GroupOfCases {...one} />
      ))}
    </>,
  )
}

/** @param label What a screen reader says, because a long line can be scrolled */
function Code({ text, label }: { text: string; label: string }) {
  return (
    <section class="scroll-x" tabindex={0} aria-label={label}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  )
}

function Words() {
  return (
    <dl class="terms">
      <div>
        <dt>Case</dt>
        <dd>
          One operation with one value to send. Its id is a group and a name, <code>query/form-array</code>, and its
          operationId the same in camel case.
        </dd>
      </div>
      <div>
        <dt>Value</dt>
        <dd>
          What JSON has no type for is tagged: <code>{'{"$int64": "…"}'}</code>, <code>{'{"$date": "…"}'}</code>,{' '}
          <code>{'{"$dateTime": "…"}'}</code>, <code>{'{"$bytes": "base64"}'}</code> and{' '}
          <code>{'{"$file": {"name", "type", "bytes"}}'}</code>. Give the client the type that it has for it, and a text
          if it has none.
        </dd>
      </div>
      <div>
        <dt>Bench</dt>
        <dd>
          A base URL for a client: <code>/lab/try</code> judges and keeps nothing, a run judges and records. The paths
          of the cases and the documents are below it. The list of cases is only at <code>/lab/cases</code>.
        </dd>
      </div>
      <div>
        <dt>Verdict</dt>
        <dd>
          <code>pass</code>: what arrived is legal and means the value. <code>non-strict</code>: it means the value only
          because servers are tolerant; it counts as passed. <code>fail</code>: another value arrived, or none.{' '}
          <code>info</code>: no verdict, because the specification leaves the case open, or because the client left
          undone what it may leave undone, such as a retry; <code>reason</code> says what was observed.{' '}
          <code>incomplete</code>: begun and not finished. The answer is 200 whatever the verdict, so that no client
          throws.
        </dd>
      </div>
      <div>
        <dt>Difference</dt>
        <dd>
          <code>received</code> is the part of the request that was judged, as it came, <code>expected</code> the form
          that we would send, and <code>at</code> the byte of <code>received</code> where they part. Each byte of a
          credential of this service is <code>*</code>, so that none is shown or kept.
        </dd>
      </div>
      <div>
        <dt>Level</dt>
        <dd>
          <code>core</code>: specified, and in daily use. <code>extended</code>: specified, and rare. <code>open</code>:
          left to implementations, so it is described and never judged.
        </dd>
      </div>
      <div>
        <dt>Run</dt>
        <dd>
          What one client sent. Its id is a secret: whoever knows it can record and read. The last request of a case
          counts. <code>expect</code> lists cases that are known to fail, <code>skip</code> those that do not count,
          each with a reason. A run ends 7 days after its last record.
        </dd>
      </div>
      <div>
        <dt>Gate</dt>
        <dd>
          200 or 422, for <code>curl --fail-with-body</code> in CI. It fails on cases that failed, were not finished or
          were never called, and on a case in <code>expect</code> that passes, so that the list shrinks.
        </dd>
      </div>
    </dl>
  )
}

const ADDRESSES: readonly (readonly [address: string, meaning: string])[] = [
  ['/lab/cases', 'All cases as JSON, with the value of each'],
  ['/lab/openapi.json', 'The cases in OpenAPI 3.1, at /lab/try'],
  ['/lab/openapi.yaml', 'The same as YAML'],
  ['/lab/openapi-3.0.json', 'The cases in OpenAPI 3.0'],
  ['/lab/scoreboard', 'What real clients of several languages send'],
]

function Addresses() {
  return (
    <>
      <dl class="terms">
        {ADDRESSES.map(([address, meaning]) => (
          <div>
            <dt>
              <a href={address}>{address}</a>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        <div>
          <dt>
            <code>POST /lab/runs</code>
          </dt>
          <dd>
            Makes a run. Its <code>url</code> is a bench with documents of its own, <code>/gate</code>,{' '}
            <code>/junit.xml</code>, <code>/badge.svg</code> and <code>/report</code>. The{' '}
            <a href="/docs">API reference</a> describes them.
          </dd>
        </div>
      </dl>
      <p>
        If a generator stops at a case, leave the case out of the document:{' '}
        <code>?without=query/deep-nested,xml/*</code>, or name what you want: <code>?only=query/*</code>.
      </p>
    </>
  )
}

function GroupOfCases({ group, cases }: { group: Group; cases: readonly Case[] }) {
  return (
    <section class="lab-group">
      <h3 id={group}>
        <code>{group}</code>
      </h3>
      <p>{ABOUT[group]}</p>
      {cases.map((spec) => (
        <OneCase spec={spec} />
      ))}
    </section>
  )
}

function OneCase({ spec }: { spec: Case }) {
  const { id, level, title, specification } = spec
  const { input, wire } = catalogueEntryOf(spec)
  return (
    <section class="lab-case">
      <h4 id={anchorOf(id)}>
        <code>{id}</code> <span class="soft">{level}</span>
      </h4>
      <p>
        <Title text={title} />. <a href={specification}>{nameSection(specification)}</a>
      </p>
      <dl>
        <Lines name="Send" lines={valuesIn(input)} />
        <Lines name="Form" lines={wire === null ? [] : [wire]} />
        <Lines name="Call" lines={curlOf(spec)} />
      </dl>
    </section>
  )
}

/** A title, in which code stands between backticks. */
function Title({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
}

function Lines({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <pre>
          <code>{lines.join('\n')}</code>
        </pre>
      </dd>
    </div>
  )
}

/** Longer values, which are bytes, are cut. The catalogue has them whole. */
const VALUE_MAX = 160

/** The values to send, one on each line, with their places. */
function valuesIn({ parameters, body }: CatalogueEntry['input']): string[] {
  const lines = Object.entries(parameters).flatMap(([place, values]) =>
    Object.entries(values).map(([name, value]) => `${place}: ${name} = ${JSON.stringify(value)}`),
  )
  const all = body ? [...lines, `${body.mediaType}: ${JSON.stringify(body.value)}`] : lines
  return all.map((line) => (line.length > VALUE_MAX ? `${line.slice(0, VALUE_MAX)}…` : line))
}

/** The name of a section of a specification, from its URL: `RFC 9110, section 12.5.1`. */
function nameSection(url: string): string {
  const [, rfc, section] = /rfc(\d+)\.html#section-(.*)$/.exec(url) ?? []
  if (rfc !== undefined) return `RFC ${rfc}, section ${section}`
  // Anchors that are there twice end in a number.
  return `OpenAPI 3.1.2, ${url.split('#')[1]?.replace(/-\d+$/, '').replaceAll('-', ' ')}`
}
