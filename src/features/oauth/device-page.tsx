import type * as z from 'zod'
import { doc } from '#doc'
import { requireWithinLimit, userCodeLimits } from '../../auth/limits.ts'
import { renderPage } from '../../design/page.tsx'
import { formPolicy, TEXT_POLICY } from '../../design/policies.ts'
import type { RenderedPage } from '../../design/rendered-page.ts'
import { ProblemError } from '../../domain/problems.ts'
import { form } from '../../http/body/form.ts'
import { pageBody, replyPage } from '../../http/pages.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { newUuid } from '../../lib/ids.ts'
import { DeviceForm, DevicePageParameters } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { insertGrant } from '../../stores/grants.ts'
import { deleteSignIn, type SignedIn } from '../../stores/sign-ins.ts'
import { GRANT_NOT_STORED } from './allow.ts'
import { type Browser, recogniseBrowser, requireOwnForm } from './browser.ts'
import { findActiveClientForPage } from './client.ts'
import { denyDeviceCode, findByUserCode, type WaitingDeviceCode } from './device-code-queries.ts'
import { findRefusal } from './form-refusal.ts'
import type { PageForm } from './page-form.tsx'
import { renderQuestionPage } from './question-page.tsx'
import { FORM_PAGES, PAGES } from './responses.ts'
import { answerSignIn } from './sign-in-form.ts'
import { renderSignInPage } from './sign-in-page.tsx'
import { startSignIn } from './start-sign-in.ts'
import { readUserCode, showUserCode } from './user-code.ts'

// The page on which a user types the code of a device, signs in and decides (RFC 8628, section 3.3). Every step is a
// form of this page that has the code, and checks it again. Only a form with a CSRF token is checked, so no link and no
// other site can use up the attempts of a user, or lead a user past the code.

const common = { path: '/device', tag: 'OAuth', since: '2.0.0', errorStyle: 'page', security: [] } as const

const POLICY = formPolicy("'self'")

const openDevicePage = defineRoute({
  ...common,
  method: 'get',
  operationId: 'openDevicePage',
  summary: 'Open the page for devices',
  description: doc('The page on which a user types the code that a device shows. It may come with the code filled in.'),
  query: DevicePageParameters,
  responses: PAGES,
  async handle({ query: { user_code: typed = '' } }, context) {
    const { csrf, headers } = await recogniseBrowser(context)
    return replyPage(await renderCodePage({ csrf, typed }), POLICY, headers)
  },
})

const submitDevicePage = defineRoute({
  ...common,
  method: 'post',
  operationId: 'submitDevicePage',
  summary: 'Submit the page for devices',
  description: doc(
    'Accepts each form of the page: the code, then the sign-in if no one is signed in with the browser, then the decision. After 10 wrong codes in 10 minutes from an address or a user, the response is 429.',
  ),
  body: form(DeviceForm),
  responses: FORM_PAGES,
  async handle({ body: { csrf, user_code: typed = '', ...answer } }, context) {
    const browser = await recogniseBrowser(context)
    requireOwnForm(browser, csrf, context)
    try {
      const device = await findDevice(typed, browser, context)
      return await takeStep(device, answer, browser, context)
    } catch (error) {
      const { refusal, status } = findRefusal(error, SHOWN_IN_FORM)
      const page = await renderCodePage({ csrf: browser.csrf, typed, refusal })
      return reply(status, pageBody(page), { ...refusal.headers, 'Content-Security-Policy': POLICY })
    }
  },
})

/** The problems after which the page asks for the code again. */
const SHOWN_IN_FORM = ['bad-request', 'too-many-requests'] as const

/** A device that waits for the decision of a user. */
interface Device {
  code: WaitingDeviceCode
  client: CallingClient
}

/** @throws ProblemError 400 for a wrong code, 429 after too many; OAuthError invalid_request */
async function findDevice(typed: string, { signedIn }: Browser, context: RequestContext): Promise<Device> {
  const { session, clientAddress, now } = context
  const limits = userCodeLimits(clientAddress, signedIn?.userId)
  const { code, attempts } = await findByUserCode(session, readUserCode(typed), limits, now)
  for (const state of attempts) requireWithinLimit(state)
  if (!code) throw wrongCode()
  return { code, client: await findActiveClientForPage(code.clientId, context) }
}

/** The same for every code with which nothing can be done. */
function wrongCode(): ProblemError {
  return new ProblemError(
    'bad-request',
    'This code is not valid: it may be mistyped, used or expired. Look at your device, and type the code that it shows now.',
  )
}

/** What comes after the right code: the sign-in, unless a user is signed in, then the question, then the decision. */
async function takeStep(
  device: Device,
  { decision, ...credentials }: Omit<z.output<typeof DeviceForm>, 'csrf' | 'user_code'>,
  browser: Browser,
  context: RequestContext,
) {
  const { signedIn } = browser
  if (decision === 'switch') await deleteSignIn(context.session, browser.hash)
  else if (signedIn && !signedIn.suspendedAt) {
    if (decision === 'allow') return await allow(device, signedIn, context)
    if (decision === 'deny') return await deny(device, context)
    return replyPage(await renderQuestion(device, browser, signedIn), POLICY)
  }
  const signUpUrl = context.services.config.signupOpen ? '/account' : undefined
  const occasion = { client: device.client, form: formFor(device, browser), signUpUrl }
  const isSignIn = credentials.email !== undefined || credentials.password !== undefined
  if (!isSignIn) return replyPage(await renderSignInPage(occasion, { email: '' }), POLICY)
  return await answerSignIn(credentials, occasion, POLICY, context, async (account) => {
    const next = await startSignIn(browser, account, context)
    return replyPage(await renderQuestion(device, next, account), POLICY, next.headers)
  })
}

async function allow({ code }: Device, signedIn: SignedIn, { session, services, now }: RequestContext) {
  const { userId, passwordGeneration, signedInAt } = signedIn
  await requireWritesLeft(services, { id: userId })
  const { hash, clientId, scopes, expiresAt } = code
  const grant = { clientId, userId, passwordGeneration, scopes, authenticatedAt: signedInAt, expiresAt }
  // Consent for a device is never remembered: whoever sends the user a code could be anybody.
  const redeemable = { deviceCode: hash, otherwise: wrongCode() }
  const endsAt = await insertGrant(session, { ...grant, id: newUuid('grant') }, redeemable, now)
  if (!endsAt) throw new ProblemError('bad-request', GRANT_NOT_STORED)
  return await replyEnd('Your device is signed in', 'Go back to your device. You can close this page.')
}

async function deny({ code }: Device, { session, now }: RequestContext) {
  if (!(await denyDeviceCode(session, code.hash, now))) throw wrongCode()
  return await replyEnd('Your device gets no access', 'You have denied it. You can close this page.')
}

/** The form of the next step, which has the code. */
function formFor({ code }: Device, { csrf }: Pick<Browser, 'csrf'>): PageForm {
  return { action: common.path, hidden: { csrf, user_code: showUserCode(code.userCode) } }
}

/** The page on which the user decides. It shows the code, so that the user can compare it (RFC 8628, section 5.4). */
async function renderQuestion(
  device: Device,
  browser: Pick<Browser, 'csrf'>,
  { email }: { email: string | null },
): Promise<RenderedPage> {
  const { client, code } = device
  const notes = (
    <>
      <p>
        A device that shows the code <strong translate="no">{showUserCode(code.userCode)}</strong> gets the access.
      </p>
      <p class="notice">
        Allow this only if you have started it yourself, and the device in front of you shows this code. If somebody has
        sent you the code or a link, deny it.
      </p>
    </>
  )
  return await renderQuestionPage({ client, scopes: code.scopes, email, form: formFor(device, browser), notes })
}

interface CodePage {
  csrf: string
  /** What the user has typed, or what the link had. */
  typed: string
  refusal?: ProblemError
}

const DESCRIPTION = 'Sign in a device with your account of Galaxy: type the code that the device shows.'

async function renderCodePage(props: CodePage): Promise<RenderedPage> {
  return await renderPage({
    // When a page loads, a screen reader announces the title and the focused element, but not an alert.
    title: props.refusal ? 'Not accepted: Sign in a device' : 'Sign in a device',
    description: DESCRIPTION,
    width: 'form',
    content: <CodeContent {...props} />,
  })
}

function CodeContent({ csrf, typed, refusal }: CodePage) {
  const faultAttributes = refusal ? ({ 'aria-describedby': 'fault', 'aria-invalid': 'true' } as const) : {}
  return (
    <>
      <h1>Sign in a device</h1>
      {refusal && (
        <p class="fault" role="alert" id="fault">
          {refusal.message}
        </p>
      )}
      <form class="panel" method="post" action={common.path}>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="user_code">Code that your device shows</label>
        <input
          id="user_code"
          name="user_code"
          type="text"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          required
          autofocus
          value={typed}
          {...faultAttributes}
        />
        <button type="submit">Continue</button>
      </form>
      <p class="hint">Continue only with a code of your own device, never with one that somebody has sent you.</p>
    </>
  )
}

/** The last page. */
async function replyEnd(title: string, text: string) {
  const content = (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
    </>
  )
  return replyPage(await renderPage({ title, description: DESCRIPTION, width: 'form', content }), TEXT_POLICY)
}

export const devicePageRoutes: readonly Route[] = [openDevicePage, submitDevicePage]
