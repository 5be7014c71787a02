import { TESTING } from '../../design/page.tsx'
import { toCurlLine } from '../../design/snippets/curl.ts'
import { CreateUniverse, UniverseOutcome } from '../universe-offer.tsx'
import { writeCount } from './axis-figures.ts'
import { callsOf } from './commands.ts'

export interface HeroContent {
  /** How many planets the catalogue of this world has. */
  total: number
  /** The id of a planet for the calls; undefined if there is none. */
  planetId: number | undefined
  baseUrl: string
  /** Whether callers can ask for an error with `Prefer`. */
  demoControls: boolean
  signupOpen: boolean
  isUniverse: boolean
  /** Whether the page offers to create a universe. */
  hasOffer: boolean
}

/** Introduces the service, with calls to try. The script of the page makes the calls and shows the responses. */
export function Hero(content: HeroContent) {
  const { baseUrl, demoControls, signupOpen, planetId, hasOffer } = content
  return (
    <div class="hero">
      <div>
        {content.isUniverse ? <UniverseLead {...content} /> : <Lead {...content} />}
        <ul class="offers">
          <li>JSON and XML, described by one OpenAPI document</li>
          <li>Basic, bearer tokens, API keys, OAuth 2.0 and OpenID Connect</li>
          <li>Signed callbacks and webhooks, and inboxes that receive them</li>
          <li>
            <a href="/docs/events">Live events</a> on WebSockets and streams
          </li>
          <li>
            A <a href="/lab">laboratory</a> that judges what your API client sends, and the{' '}
            <a href="/lab/scoreboard">scoreboard</a> of clients
          </li>
          {demoControls && <li>Every documented error on demand</li>}
          {hasOffer && (
            <li>
              <a href={TESTING}>Testing</a> in universes: each is a copy of the service for you alone, and ends by
              itself
            </li>
          )}
        </ul>
        <p class="row actions">
          <a class="button" href="/walk">
            Take the tour
          </a>
          <a class="button secondary" href="/docs">
            Read the reference
          </a>
          {hasOffer && <CreateUniverse />}
          {signupOpen && <a href="/account#sign-up">Create an account</a>}
        </p>
        {hasOffer && <UniverseOutcome />}
      </div>
      <Calls baseUrl={baseUrl} demoControls={demoControls} planetId={planetId} />
    </div>
  )
}

function Lead({ total }: Pick<HeroContent, 'total'>) {
  return (
    <>
      <h1>A real API to try your tools on</h1>
      <p class="lead">
        Galaxy is for people who build API tools, and for people who learn HTTP. It has {writeCount(total)} real
        planets, to which you can add your own. It validates, stores and secures what you send.
      </p>
    </>
  )
}

function UniverseLead({ total, baseUrl }: Pick<HeroContent, 'total' | 'baseUrl'>) {
  const planets = total === 0 ? 'no planets yet' : `${writeCount(total)} planets`
  return (
    <>
      <h1>A private universe</h1>
      <p class="lead">
        This is a complete copy of Galaxy at its own address. It has {planets}. The owner can change everything in it,
        and reset it.
      </p>
      <p>
        The base URL is <code>{baseUrl}</code>. Everybody who knows this URL can read the planets.
      </p>
    </>
  )
}

function Calls({ baseUrl, demoControls, planetId }: Pick<HeroContent, 'baseUrl' | 'demoControls' | 'planetId'>) {
  const calls = callsOf(planetId).filter(({ needsDemoControls }) => demoControls || !needsDemoControls)
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
      <div id="answer" class="answer needs-script" data-planet={planetId} />
    </section>
  )
}
