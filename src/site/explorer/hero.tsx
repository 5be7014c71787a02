import { toCurlLine } from '../../design/snippets/curl.ts'
import { writeCount } from './axis-figures.ts'
import { CALLS } from './commands.ts'

export interface HeroContent {
  /** How many planets came with the service. */
  total: number
  baseUrl: string
  /** Whether callers can ask for an error with `Prefer`. */
  demoControls: boolean
  /** Whether people can create accounts. */
  signupOpen: boolean
}

/** What the service is, and calls to try. The script makes them and shows the answers. */
export function Hero({ total, baseUrl, demoControls, signupOpen }: HeroContent) {
  return (
    <div class="hero">
      <div>
        <h1>A real API to try your tools on</h1>
        <p class="lead">
          Galaxy is for people who build API tools, and for people who learn HTTP. It has {writeCount(total)} real
          planets, to which you can add your own. It validates, stores and secures what you send.
        </p>
        <ul class="offers">
          <li>JSON and XML, described by one OpenAPI document</li>
          <li>Basic, bearer tokens, API keys, OAuth 2.0 and OpenID Connect</li>
          <li>Signed callbacks and webhooks, and inboxes that receive them</li>
          {demoControls && <li>Every documented error on demand</li>}
        </ul>
        <p class="row actions">
          <a class="button" href="/walk">
            Take the tour
          </a>
          <a class="button secondary" href="/docs">
            Read the reference
          </a>
          {signupOpen && <a href="/account#sign-up">Create an account</a>}
        </p>
      </div>
      <Calls baseUrl={baseUrl} demoControls={demoControls} />
    </div>
  )
}

function Calls({ baseUrl, demoControls }: Pick<HeroContent, 'baseUrl' | 'demoControls'>) {
  const calls = CALLS.filter(({ needsDemoControls }) => demoControls || !needsDemoControls)
  return (
    <section class="panel calls" aria-labelledby="calls-title">
      <h2 id="calls-title" class="visually-hidden">
        Try it
      </h2>
      <ul>
        {calls.map((call) => (
          <li>
            <span id={`call-${call.name}`}>{call.label}</span>
            <button
              type="button"
              class="secondary small needs-script"
              data-call={call.name}
              aria-describedby={`call-${call.name}`}
            >
              Run
            </button>
            <code>{toCurlLine({ method: 'GET', url: baseUrl + call.path, headers: call.headers })}</code>
          </li>
        ))}
      </ul>
      <div id="answer" class="answer needs-script" />
    </section>
  )
}
