import type { Child } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import { formatJson } from '../../src/design/format-json.ts'
import type { ShownBody, ShownRequest, ShownResponse } from '../../src/design/shown-request.ts'
import { nameStatus } from '../../src/lib/status-phrases.ts'
import { CodeTabs } from './code-tabs.tsx'
import { WithTokens } from './token.tsx'

interface ExchangeProps {
  request: ShownRequest
  response?: ShownResponse
}

/** A request and its response in full, and the request as code. The page around it has a heading of level 2. */
export function Exchange({ request, response }: ExchangeProps) {
  return (
    <div class="exchange">
      <section key="request" class="exchange-request">
        <h3>Request</h3>
        <Lines what="The request line and headers">
          <strong>{request.method}</strong> {request.url}
          <Headers headers={request.headers} />
        </Lines>
        {request.body && <RequestBody body={request.body} />}
      </section>
      {response && <Response key="response" response={response} />}
      <section key="code" class="exchange-code">
        <h3>The request as code</h3>
        <CodeTabs request={request} />
      </section>
    </div>
  )
}

function Response({ response: { status, headers, text, milliseconds } }: { response: ShownResponse }) {
  const { cors = [], others = [] } = Object.groupBy(headers, ([name]) =>
    name.startsWith('access-control-') ? 'cors' : 'others',
  )
  return (
    <section class="exchange-response">
      <h3>
        Response <StatusBadge status={status} /> <small>{milliseconds} ms</small>
      </h3>
      <Lines what="The headers of the response">
        <Headers headers={others} />
      </Lines>
      {cors.length > 0 && (
        <details class="cors">
          <summary>Headers of CORS</summary>
          <Lines what="The headers of CORS">
            <Headers headers={cors} />
          </Lines>
        </details>
      )}
      {text === '' ? <p class="hint">The response has no body.</p> : <Body text={text} what="the response" />}
    </section>
  )
}

/** A status, coloured by its class. */
export function StatusBadge({ status }: { status: number }) {
  const tone = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'
  return <span class={`badge ${tone}`}>{nameStatus(status)}</span>
}

function RequestBody({ body }: { body: ShownBody }) {
  if ('text' in body) return <Body text={body.text} what="the request" />
  return (
    <p class="hint">
      The body is a form (multipart/form-data) with the file <code>{body.fileName}</code> as <code>{body.field}</code>.
      Your browser adds the header Content-Type.
    </p>
  )
}

/** A body as it was sent, or indented if the person asks for it. */
function Body({ text, what }: { text: string; what: string }) {
  const [isFormatted, setFormatted] = useState(false)
  const formatted = formatJson(text)
  return (
    <div class="exchange-body">
      {formatted && (
        <button
          type="button"
          class="secondary small"
          aria-pressed={isFormatted ? 'true' : 'false'}
          aria-label={`Indent the body of ${what}`}
          onClick={() => setFormatted(!isFormatted)}
        >
          Indent
        </button>
      )}
      <Lines what={`The body of ${what}`}>
        <WithTokens text={isFormatted && formatted ? formatted : text} hasButtons />
      </Lines>
    </div>
  )
}

/** Lines that scroll if there is no room for all. They can have the focus, so that the keyboard can scroll them. */
function Lines({ what, children }: { what: string; children?: Child }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with Tab
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <pre role="group" aria-label={what} tabIndex={0}>
      {children}
    </pre>
  )
}

function Headers({ headers }: Pick<ShownRequest, 'headers'>) {
  return (
    <>
      {headers.map(([name, value], index) => (
        <span key={index} class="header-field">
          <span class="header-name">{name}:</span> <WithTokens text={value} hasButtons />
        </span>
      ))}
    </>
  )
}
