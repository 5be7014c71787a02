import { anchorOf } from '../anchor.ts'
import { GROUPS } from '../case.ts'
import { escapeControls, excerptOf } from '../scoreboard/excerpt.ts'
import type { Cell, Scoreboard } from '../scoreboard/results.ts'
import { type CaseView, type CauseView, type ClientView, type EntryView, viewScoreboard } from '../scoreboard/view.ts'
import { SUITE } from '../suite/suite.ts'

/** The content of the page /lab/scoreboard, which the build writes. */
export function renderScoreboard(scoreboard: Scoreboard): string {
  const { clients, cases, causes } = viewScoreboard(scoreboard)
  const content = (
    <>
      <p class="eyebrow">
        <a href="/lab">The laboratory</a>
      </p>
      <h1>Scoreboard</h1>
      <p class="lead">What real clients send to the cases of the laboratory.</p>
      <p>
        Each client was made from the document of the cases, and called each case once. The table says what a client
        sent, and nothing about what it is worth. <code>core</code> is specified and in daily use, <code>extended</code>{' '}
        is specified and rare, <code>open</code> is left to implementations by the specification: it is described, and
        never judged. Suite {SUITE}.
      </p>
      <p>
        <a href="#cases">Cases</a>, <a href="#causes">causes of the failures</a>, <a href="#sent">what was sent</a>,{' '}
        <a href="#left-out">what is left out</a>
      </p>
      <Clients clients={clients} />
      <h2 id="cases">Cases</h2>
      <p class="soft">
        ✓ passed; (✓) passed, because servers are tolerant; ✗ another value arrived; ∅ no request came, or not the
        second one; i the case is open, or the client does not retry; – left to the user, or the document cannot say it;
        ■ the generator or its compiler stops.
      </p>
      <Cases clients={clients} cases={cases} />
      <h2 id="causes">Causes of the failures</h2>
      <Causes causes={causes} />
      <h2 id="sent">What was sent</h2>
      {cases.map((one) => (
        <Case view={one} />
      ))}
      <h2 id="left-out">What is left out</h2>
      {clients.map((client) => (
        <LeftOut client={client} />
      ))}
    </>
  )
  return String(content)
}

function Clients({ clients }: { clients: readonly ClientView[] }) {
  return (
    <section class="scroll-x" tabindex={0} aria-label="Clients">
      <table class="lab-clients">
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col">Version</th>
            <th scope="col">Run</th>
            {['core', 'extended', ...GROUPS].map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clients.map(({ name, language, version, date, levels, groups }) => (
            <tr>
              <th scope="row">
                {name} <span class="soft">{language}</span>
              </th>
              <td>{version}</td>
              <td>{date}</td>
              {[levels.core, levels.extended, ...GROUPS.map((group) => groups[group])].map(({ passed, cases }) => (
                <td>
                  {passed}/{cases}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** How a verdict is shown: a sign, what it means, and its colour. */
const SIGNS: Readonly<Record<Cell['verdict'], readonly [sign: string, meaning: string, colour: string]>> = {
  pass: ['✓', 'passed', 'good'],
  'non-strict': ['(✓)', 'passed, not strict', 'good'],
  fail: ['✗', 'failed', 'bad'],
  incomplete: ['∅', 'not finished', 'bad'],
  missing: ['∅', 'not called', 'bad'],
  info: ['i', 'observed', 'soft'],
  skipped: ['–', 'left out', 'soft'],
  stops: ['■', 'stops', 'warn'],
}

function Cases({ clients, cases }: { clients: readonly ClientView[]; cases: readonly CaseView[] }) {
  return (
    <section class="scroll-x" tabindex={0} aria-label="Cases">
      <table class="lab-board">
        <thead>
          <tr>
            <th scope="col">Case</th>
            {clients.map(({ name }) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cases.map(({ spec, cells }) => (
            <tr>
              <th scope="row">
                {spec.id} <span class="soft">{spec.level}</span>
              </th>
              {clients.map(({ name }) => (
                <Sign cell={cells[name]} id={spec.id} client={name} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Sign({ cell, id, client }: { cell: Cell | undefined; id: string; client: string }) {
  if (!cell) return <td />
  const [sign, meaning, colour] = SIGNS[cell.verdict]
  if (cell.verdict === 'pass') return <td class={colour}>{sign}</td>
  const isLeftOut = cell.verdict === 'skipped' || cell.verdict === 'stops'
  return (
    <td class={colour}>
      <a
        href={`#${isLeftOut ? anchorOfClient(client) : anchorOf(id)}`}
        aria-label={`${sign} ${meaning}: ${id}, ${client}`}
      >
        {sign}
      </a>
    </td>
  )
}

const anchorOfClient = (name: string) => `left-out-${name}`

function Causes({ causes }: { causes: readonly CauseView[] }) {
  return (
    <dl class="terms">
      {causes.map(({ title, count, clients, evidence, cell, specification }) => (
        <div>
          <dt>{plain(title)}</dt>
          <dd>
            {count} {count === 1 ? 'cell' : 'cells'} of {clients.join(', ')}. Evidence:{' '}
            <a href={`#${anchorOf(evidence.case)}`}>{evidence.case}</a> of {evidence.client}:{' '}
            <code>{excerptOf(cell) ?? escapeControls(cell.error ?? 'nothing')}</code>.{' '}
            <a href={specification}>What decides it</a>.
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Without the marks of code. */
const plain = (text: string) => text.replaceAll('`', '')

function Case({ view: { spec, entries } }: { view: CaseView }) {
  if (entries.length === 0) return null
  const expected = entries.map(({ cell }) => cell.expected).find((one) => one !== undefined)
  return (
    <section class="panel lab-difference">
      <h3 id={anchorOf(spec.id)}>
        <code>{spec.id}</code> <span class="soft">{spec.level}</span>
      </h3>
      <p>
        {spec.title}. <a href={`/lab#${anchorOf(spec.id)}`}>The case</a>,{' '}
        <a href={spec.specification}>what decides it</a>
      </p>
      <dl>
        {expected !== undefined && (
          <div>
            <dt>We would send</dt>
            <dd>
              <code>{excerptOf({ verdict: 'pass', received: expected })}</code>
            </dd>
          </div>
        )}
        {entries.map((entry) => (
          <Entry entry={entry} />
        ))}
      </dl>
    </section>
  )
}

function Entry({ entry: { cell, clients } }: { entry: EntryView }) {
  const sent = excerptOf(cell)
  return (
    <div>
      <dt>
        {clients.join(', ')}
        {cell.at !== undefined && `: byte ${cell.at}`}
      </dt>
      <dd>
        {sent === undefined || sent === '' ? <em>Nothing came.</em> : <code>{sent}</code>}{' '}
        {cell.reason && escapeControls(cell.reason)}
        {cell.error !== undefined && (
          <>
            {' '}
            It says: <code>{escapeControls(cell.error)}</code>
          </>
        )}
      </dd>
    </div>
  )
}

function LeftOut({ client: { name, skipped, stopped } }: { client: ClientView }) {
  if (skipped.length + stopped.length === 0) return null
  const reasons = [
    ...skipped.map((one) => ({ ...one, what: 'Not called' })),
    ...stopped.map((one) => ({ ...one, what: 'Stops' })),
  ]
  return (
    <section>
      <h3 id={anchorOfClient(name)}>{name}</h3>
      <ul>
        {reasons.map(({ reason, cases, what }) => (
          <li>
            {what}: <code>{cases.join(', ')}</code>. {reason}
          </li>
        ))}
      </ul>
    </section>
  )
}
