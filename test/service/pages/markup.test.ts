import { describe, expect, it } from 'vitest'
import { GUIDE_GROUPS } from '../../../documents/guides/list.ts'
import { authorizationPath, getDeviceCodes, registerClient, registerDevice, UserAgent } from '../../support/oauth.ts'
import { listOperations } from '../../support/reference-page.ts'
import { bodyOf } from '../galaxy.ts'
import { completeDocument, PASSWORD } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { shareGalaxy } from '../prepared-state.ts'
import { findMarkupFaults, readAttributes } from './markup.ts'

// What holds for the HTML of every page, as the service sends it. What scripts make of it is judged with each state.

const galaxy = shareGalaxy()
const CODES: string[] = completeDocument.components.parameters.code.schema.enum

/** The form of a browser, from a page of the service. */
function post(fields: Record<string, string>, cookie = ''): RequestInit {
  const headers = { Origin: galaxy.url, 'Sec-Fetch-Site': 'same-origin', Cookie: cookie, ...ownAddress() }
  return { method: 'POST', headers, body: new URLSearchParams(fields) }
}

const send = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, galaxy.url), { ...init, headers: { Accept: 'text/html', ...init.headers } })
const getText = async (path: string, init?: RequestInit) => (await send(path, init)).text()

async function makeClient(): Promise<string> {
  const register = (path: string, init?: RequestInit) => fetch(new URL(path, galaxy.url), init)
  return (await registerClient(register, { client_name: 'Atlas' })).id
}

/** The path of a run of the laboratory in which cases passed, failed and were not finished. */
async function makeRun(): Promise<string> {
  const headers = { 'Content-Type': 'application/json', ...ownAddress() }
  const body = JSON.stringify({ tool: '<b>tool</b>', version: '1', skip: { 'xml/*': 'no & yes' } })
  const { id } = await bodyOf(await send('/lab/runs', { method: 'POST', headers: { ...headers, Accept: '*/*' }, body }))
  const path = `/lab/runs/${id}`
  for (const one of ['query/form-string?color=<i>', 'query/utf8?value=x', 'path/simple-string/blue', 'query/null']) {
    await send(`${path}/${one}`)
  }
  await send(`${path}/response/object`)
  await send(`${path}/body/top-string`, { method: 'POST', headers, body: '"\u0001\n</pre>' })
  await send(`${path}/body/bytes`, { method: 'POST', body: new Uint8Array([255, 0, 1]) })
  return path
}

/** Opens the form to sign in, and sends it. */
async function signIn(query: Record<string, string>, password = PASSWORD): Promise<{ html: string; cookie: string }> {
  const email = `${crypto.randomUUID()}@galaxy.test`
  const headers = { 'Content-Type': 'application/json', ...ownAddress() }
  await send('/user/signup', { method: 'POST', headers, body: JSON.stringify({ email, password: PASSWORD }) })
  const opened = await send(authorizationPath(await makeClient(), query))
  const cookie = opened.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const form = await opened.text()
  const [action = ''] = readAttributes(form, 'form', 'action')
  const csrf = /name="csrf" value="([^"]*)"/.exec(form)?.[1] ?? ''
  const response = await send(action, { ...post({ email, password, csrf }, cookie), redirect: 'manual' })
  const location = response.headers.get('location')
  const set = response.headers.getSetCookie().map((one) => one.split(';')[0])
  const cookies = [...set, cookie].filter(Boolean).join('; ')
  return {
    html: location ? await getText(location, { headers: { Cookie: cookies } }) : await response.text(),
    cookie: cookies,
  }
}

/** The page for devices after a wrong code (0), the right code (1), the sign-in (2), and the decision (3). */
async function openDeviceStep(step: number): Promise<string> {
  const account = { email: `${crypto.randomUUID()}@galaxy.test`, password: PASSWORD }
  const headers = { 'Content-Type': 'application/json', ...ownAddress() }
  await send('/user/signup', { method: 'POST', headers, body: JSON.stringify(account) })
  const browser = new UserAgent((path, init) => send(path, { ...init, headers: { ...init?.headers, ...ownAddress() } }))
  await browser.open('/device')
  await browser.submit({ user_code: step === 0 ? 'BBBB-BBBB' : await makeUserCode() })
  for (const fields of [account, { decision: 'allow' }].slice(0, Math.max(step - 1, 0))) await browser.submit(fields)
  return browser.page
}

async function makeUserCode(): Promise<string> {
  const asAnyone = (path: string, init?: RequestInit) => fetch(new URL(path, galaxy.url), init)
  return (await getDeviceCodes(asAnyone, await registerDevice(asAnyone, { client_name: 'Television' }))).user_code
}

/** Registry: the pages, by the operations that return them. */
const PAGES: Record<string, () => Promise<string>> = {
  getIndex: () => getText('/'),
  'getIndex, later planets': () => getText('/?offset=50'),
  getPlanetPage: () => getText('/explore/planets/4'),
  'getPlanetPage, with moons': () => getText('/explore/planets/5'),
  'getPlanetPage of no planet': () => getText('/explore/planets/999999999'),
  getWalk: () => getText('/walk'),
  getAccountPage: () => getText('/account'),
  getReference: () => getText('/docs'),
  getReferenceRedirect: () => getText('/docs/oauth2-redirect'),
  getEventsPage: () => getText('/docs/events'),
  listGuides: () => getText('/guides'),
  ...Object.fromEntries(
    GUIDE_GROUPS.flatMap(({ names }) => names.map((name) => [`getGuide ${name}`, () => getText(`/guides/${name}`)])),
  ),
  listProblems: () => getText('/problems'),
  getLabScoreboard: () => getText('/lab/scoreboard'),
  getLabScoreboardClient: () => getText('/lab/scoreboard/openapi-generator-php'),
  'getLabScoreboardClient of no client': () => getText('/lab/scoreboard/nobody'),
  getLabPage: () => getText('/lab'),
  // The parts of their pages differ.
  ...Object.fromEntries(
    ['path/simple-array', 'multipart/file', 'response/bytes', 'redirect/307-post', 'retry/same-key', 'query/null'].map(
      (id, index) => [index === 0 ? 'getLabCase' : `getLabCase ${id}`, () => getText(`/lab/cases/${id}`)],
    ),
  ),
  getLabRunReport: async () => getText(`${await makeRun()}/report`),
  'getLabRunReport of no run': () => getText(`/lab/runs/${'a'.repeat(24)}/report`),
  ...Object.fromEntries(CODES.map((code) => [`getProblem ${code}`, () => getText(`/problems/${code}`)])),
  'an address at which there is nothing': () => getText('/nowhere'),
  'an echo': () => getText('/echo/planets.html?tag=a&tag=b', { method: 'POST', body: '{"a":[1]}' }),
  'authorize: sign in': async () => getText(authorizationPath(await makeClient(), {})),
  'authorize of nobody': () => getText('/oauth/authorize?client_id=nobody'),
  authorizeByForm: () => getText('/oauth/authorize', post({ client_id: 'nobody' })),
  'signIn, refused': async () => (await signIn({}, 'wrong')).html,
  'signIn: consent': async () => (await signIn({})).html,
  openSignUp: async () => getText(authorizationPath(await makeClient(), {}).replace('/authorize', '/sign-up')),
  'signUp, refused': () => getText('/oauth/sign-up', post({})),
  'consent, refused': () => getText('/oauth/consent', post({})),
  openDevicePage: () => getText('/device?user_code=WDJB-MJHT'),
  'submitDevicePage, refused': () => getText('/device', post({})),
  ...Object.fromEntries(
    ['wrong code', 'sign in', 'question', 'end'].map((step, index) => [
      `submitDevicePage: ${step}`,
      () => openDeviceStep(index),
    ]),
  ),
  endSession: () => getText('/oauth/end-session'),
  endSessionByForm: () => getText('/oauth/end-session', post({})),
  'a page of a universe': async () => {
    const { url } = await bodyOf(
      await send('/universes', { method: 'POST', headers: { ...ownAddress(), Accept: 'application/json' } }),
    )
    return getText(`${new URL(url).pathname}/walk`)
  },
}

it('every operation that returns a page is among them', () => {
  const listed = Object.keys(PAGES).map((name) => name.split(/\W/)[0])
  const withPages = listOperations(completeDocument.paths).filter(({ answerTypes }) =>
    answerTypes.includes('text/html'),
  )
  expect(withPages.length).toBeGreaterThan(15)
  expect(withPages.map(({ operationId }) => operationId).filter((id) => !listed.includes(id))).toEqual([])
})

describe.each(Object.entries(PAGES))('the page: %s', (_, read) => {
  it('is valid, has a description, and has links with legal fragments', async () => {
    const html = await read()
    expect(html).toMatch(/^<!doctype html>/)
    expect(await findMarkupFaults(html)).toEqual([])
    expect(readAttributes(html, 'meta name="description"', 'content')).toEqual([expect.stringMatching(/^.{20,}\.$/)])
    // RFC 3986, section 3.5, after what may stand before a fragment.
    expect(readAttributes(html, 'a', 'href').filter((href) => !LEGAL_URL.test(href))).toEqual([])
    const forms = [...html.matchAll(/<form\b[\s\S]*?<\/form>/g)]
    expect(forms.filter(([form]) => !/<button[^>]* type="submit"/.test(form))).toEqual([])
  })
})

const LEGAL_URL = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2})*(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2})*)?$/
