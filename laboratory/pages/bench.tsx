import { raw } from 'hono/html'
import { Sides } from '../../src/design/sides.tsx'
import { WithCode } from '../../src/design/with-code.tsx'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { quote, writeCurl } from '../bench/curl.ts'
import type { BenchData, BenchForm } from '../bench/data.ts'
import { type BenchRequest, bodyBytesOf, readBytes, showBytes } from '../bench/request.ts'
import { findSentPart } from '../bench/sent-part.ts'
import { GROUPS } from '../case.ts'
import { compareSides } from '../difference.ts'
import { catalogueEntryOf } from '../documents/catalogue.ts'
import { judgedCaseOf } from '../documents/judged.ts'
import { wireOf } from '../documents/wire.ts'
import { judgeSync, type LabVerdict } from '../library.ts'
import { ruleOfPart } from '../rule.ts'
import type { Answer, Case } from '../suite/declare.ts'
import { benchFormsOf } from '../suite/forms/index.ts'
import { rulesOf } from '../suite/rules.ts'
import { CASES } from '../suite/suite.ts'
import { Decision, shorten, valuesIn } from './parts.tsx'

// The bench of a page, with the first wrong form of its case. browser/lab/bench.tsx makes it work.

/** Whether a page can have a bench for a case. What a retry shows takes several requests. */
export const hasBench = ({ group }: Case) => group !== 'retry'

/** Rendered once, for all pages. */
const OPTIONS = GROUPS.map((group) => {
  const names = CASES.filter((spec) => spec.group === group && hasBench(spec)).map(({ id }) => `<option>${id}</option>`)
  return names.length === 0 ? '' : `<optgroup label="${group}">${names.join('')}</optgroup>`
}).join('')

/** @throws Error if the case has no forms */
export function Bench({ spec }: { spec: Case }) {
  const forms = benchFormsOf(spec)
  // A browser follows a redirect as it should, whatever it is told.
  const selectable = spec.redirect ? forms.slice(0, 1) : forms
  const first = selectable.find(({ verdict }) => verdict !== 'pass') ?? selectable[0]
  if (!first) throw new Error(`${spec.id} has no forms`)
  const { id, parameters, accepts, wire, forms: parts } = judgedCaseOf(spec)
  const data: BenchData = {
    judged: {
      id,
      wire,
      ...(parameters && { parameters }),
      ...(accepts && { accepts }),
      ...(parts && { forms: parts }),
    },
    forms: selectable,
    rules: rulesOf(spec),
  }
  return (
    <section class="panel bench" id="bench" aria-label="Bench" data-bench={JSON.stringify(data)}>
      <Task spec={spec} />
      {spec.answer && <Given answer={spec.answer} />}
      <Fields id={id} forms={selectable} first={first} />
      <section class="bench-verdict" id="bench-verdict" aria-label="Verdict" aria-live="polite">
        <FirstVerdict spec={spec} form={first} data={data} />
      </section>
      {spec.redirect && <Others forms={forms.slice(1)} />}
    </section>
  )
}

/** How much of a value is shown here: two lines on a phone. */
const TASK_MAX = 90

/** What a client has to send, and how we would. */
function Task({ spec }: { spec: Case }) {
  const { input, wire } = catalogueEntryOf(spec)
  // The case says where its parameters are.
  const values = valuesIn(input).map((value) => value.replace(`${spec.group}: `, ''))
  const report = spec.answer && spec.level !== 'open' ? wireOf(spec) : null
  return (
    <div class="bench-task">
      {values.map((value, index) => (
        <p>
          <span class="soft">{index === 0 ? 'Value:' : 'and'}</span> <code>{shorten(value, TASK_MAX)}</code>
        </p>
      ))}
      {wire !== null && (
        <p>
          <span class="soft">We would send:</span> <code>{shorten(wire, TASK_MAX)}</code>
        </p>
      )}
      {report !== null && (
        <p>
          <span class="soft">PUT should carry:</span> <code>{shorten(report, TASK_MAX)}</code>
        </p>
      )}
    </div>
  )
}

function Fields({ id, forms, first }: { id: string; forms: readonly BenchForm[]; first: BenchForm }) {
  const { method, target, headers, body } = first.request
  const lines = headers.map((header) => header.join(': '))
  const isEmpty = lines.length === 0 && body === ''
  const hasBytes = JSON.stringify(forms).includes('\\\\x')
  return (
    <form id="bench-fields">
      <div class="bench-pair">
        <div>
          <label for="bench-case">Case</label>
          <select id="bench-case" autocomplete="off">
            {raw(OPTIONS.replace(`<option>${id}<`, `<option selected>${id}<`))}
          </select>
        </div>
        <div>
          <label for="bench-form">Form</label>
          <select id="bench-form" autocomplete="off">
            {forms.map((form) => (
              <option selected={form === first}>
                {form.name} ({form.verdict})
              </option>
            ))}
          </select>
        </div>
      </div>
      <div>
        <label for="bench-target">Method and path</label>
        {/* It has one line, but long ones wrap, and whole requests are pasted into it. */}
        <textarea
          id="bench-target"
          rows={rowsOfLine(`${method} ${target}`)}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="none"
          enterkeyhint="send"
        >
          {`${method} ${target}`}
        </textarea>
      </div>
      <div class={isEmpty ? 'bench-pair' : ''} id="bench-rest">
        <div>
          <label for="bench-headers">Headers</label>
          <textarea
            id="bench-headers"
            rows={Math.max(lines.length, 1)}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="none"
          >
            {lines.join('\n')}
          </textarea>
        </div>
        <div>
          <label for="bench-body">Body</label>
          <textarea id="bench-body" rows={rowsOf(body)} spellcheck={false} autocomplete="off" autocapitalize="none">
            {body}
          </textarea>
        </div>
      </div>
      <div id="bench-obstacle" role="status" />
      <p class="bench-send">
        <button type="submit" id="bench-send" disabled>
          Send
        </button>{' '}
        <span class="hint">
          to <code>/lab/try</code>, which keeps nothing. <a href={`/lab/cases/${id}`}>About {id}</a>
          {hasBytes && (
            <>
              {' '}
              <code>\xNN</code> is a byte.
            </>
          )}
        </span>
      </p>
      <noscript>
        <p>To send from this page needs JavaScript. This command sends the same:</p>
        <pre>
          <code>{curlOfForm(first.request)}</code>
        </pre>
      </noscript>
    </form>
  )
}

const ROWS_MAX = 8

/** How many characters of a line are in sight on a phone. */
const LINE_CHARACTERS = 38

const rowsOfLine = (line: string) => Math.min(Math.ceil(line.length / LINE_CHARACTERS), ROWS_MAX)

const rowsOf = (text: string) => Math.min(text.trimEnd().split('\n').length, ROWS_MAX)

export function curlOfForm(request: BenchRequest): string {
  return writeCurl(request, quote(`${EXAMPLE_ORIGIN}/lab/try${request.target}`))
}

/** What GET of `response/…` answers. */
function Given({ answer }: { answer: Answer }) {
  const { status, mediaType, headers = {}, body = '', isBase64 } = answer
  const bytes = isBase64 ? Uint8Array.from(atob(body), (one) => one.charCodeAt(0)) : new TextEncoder().encode(body)
  const all = { ...(mediaType !== undefined && { 'Content-Type': mediaType }), ...headers }
  const head = [`HTTP/1.1 ${status}`, ...Object.entries(all).map((header) => header.join(': '))]
  return (
    <div class="bench-given">
      <p>GET of this case answers so. PUT carries what a client has read, and is judged:</p>
      <section class="scroll-x" tabindex={0} aria-label="The answer to GET">
        <pre>
          <code>{[...head, '', showBytes(bytes)].join('\n').trimEnd()}</code>
        </pre>
      </section>
    </div>
  )
}

function FirstVerdict({ spec, form: { request }, data }: { spec: Case; form: BenchForm; data: BenchData }) {
  if (spec.redirect) return <p class="hint">Send it: a browser follows the redirect, and the verdict stands here.</p>
  const { method, target, headers } = request
  const sent = headers.map(([name, value]) => [name, new TextDecoder('latin1').decode(readBytes(value))] as const)
  const verdict = judgeSync(spec.id, { method, url: target, headers: sent, body: bodyBytesOf(request) })
  return <Verdict verdict={verdict} request={request} data={data} />
}

/** A verdict as browser/lab/verdict.tsx shows it too. */
function Verdict({ verdict, request, data }: { verdict: LabVerdict; request: BenchRequest; data: BenchData }) {
  const { reason, received, encoding, at } = verdict
  const word = verdict.verdict === 'incomplete' ? 'info' : verdict.verdict
  const part = findSentPart(data.judged, request, verdict)
  const sides = compareSides(data.judged, { part, received, encoding, at })
  return (
    <>
      <p class={`bench-word ${word}`}>{word}</p>
      {reason !== null && (
        <p>
          <WithCode text={reason} />
        </p>
      )}
      {sides && <Sides sides={sides} />}
      <p class="hint">
        <Decision rule={ruleOfPart(data.rules, part)} />
      </p>
    </>
  )
}

function Others({ forms }: { forms: readonly BenchForm[] }) {
  return (
    <div class="bench-others">
      <p>A browser follows as it should. What other clients do, with curl:</p>
      <ul>
        {forms.map(({ name, verdict, request }) => (
          <li>
            {name} ({verdict}): <code>{curlOfForm(request)}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
