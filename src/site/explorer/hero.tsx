import { CALLS, writeCommand } from './commands.ts'
import { writeCount } from './figures.ts'

/** What the service is, and calls to try. The script makes them and shows the answers. */
export function Hero({ total, baseUrl }: { total: number; baseUrl: string }) {
  return (
    <div class="hero">
      <div>
        <h1>An API to build tools against</h1>
        <p class="lead">
          Galaxy is a complete HTTP API with {writeCount(total)} real planets in it. Try your client, your generator or
          your gateway on a service that validates, stores and secures what you send.
        </p>
        <ul class="offers">
          <li>JSON and XML, described by one OpenAPI document</li>
          <li>Basic, bearer tokens, API keys, OAuth 2.0 and OpenID Connect</li>
          <li>Signed callbacks and webhooks, and inboxes that receive them</li>
          <li>Every documented error on demand</li>
        </ul>
        <p class="row actions">
          <a class="button" href="/walk">
            Take the walk
          </a>
          <a class="button secondary" href="/docs">
            Read the reference
          </a>
          <a href="/account">Create an account</a>
        </p>
      </div>
      <Calls baseUrl={baseUrl} />
    </div>
  )
}

function Calls({ baseUrl }: { baseUrl: string }) {
  return (
    <section class="panel calls" aria-labelledby="calls-title">
      <h2 id="calls-title" class="visually-hidden">
        Try it
      </h2>
      <ul>
        {CALLS.map((call, index) => (
          <li>
            <span id={`call-${index}`}>{call.label}</span>
            <button
              type="button"
              class="secondary small needs-script"
              data-call={String(index)}
              aria-describedby={`call-${index}`}
            >
              Run
            </button>
            <code>{writeCommand(call, baseUrl)}</code>
          </li>
        ))}
      </ul>
      <div id="answer" class="answer needs-script" />
    </section>
  )
}
