import type { StepId } from '../../src/site/walk-steps.ts'
import { CallFailed } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
import { rememberInbox } from '../lib/inbox-store.ts'
import { saveSession } from '../lib/session.ts'
import { receiveInFourWays } from './four-ways.ts'
import { waitForEvent } from './inbox.ts'
import { headerOf, type Run, userHeaders } from './run.ts'
import type { Facts } from './state.ts'

/** The findings of a step, and what the user should notice. */
interface Outcome {
  facts?: Facts
  note: string
}

/** Registry: the function of each step. It throws CallFailed if the tour cannot continue. */
export const DEEDS: Readonly<Record<StepId, (run: Run) => Promise<Outcome>>> = {
  async signup(run) {
    await run.callWithCredentials('/user/signup', 201)
    return { note: 'The account exists. The service has stored only a hash of the password.' }
  },

  async token(run) {
    const { text } = await run.callWithCredentials('/auth/token', 201)
    saveSession({ email: run.inputs.email, token: JSON.parse(text).token })
    return { note: 'The following requests send this token in the header Authorization.' }
  },

  async inbox(run) {
    const { text } = await run.call({ method: 'POST', path: '/inboxes' }, 201)
    const { id, url } = JSON.parse(text)
    // The account page lists it too.
    rememberInbox(id)
    return { facts: { inboxId: id, inboxUrl: url }, note: 'The inbox records every request to its URL for 24 hours.' }
  },

  async planet(run) {
    const { name, description } = run.inputs
    const json = { name, description, successCallbackUrl: run.facts.inboxUrl }
    const { text } = await run.callAsUser({ method: 'POST', path: '/planets', json }, 201)
    const { id } = JSON.parse(text)
    return { facts: { planetId: id }, note: `Your planet is ${urlOf(`/planets/${id}`)} now. Everybody can read it.` }
  },

  async picture(run) {
    const { file } = run.tools
    if (!file) throw new CallFailed('The picture is not ready.', 'Choose a file, or wait a moment.')
    const request = {
      method: 'POST',
      url: urlOf(`/planets/${run.facts.planetId}/image`),
      headers: userHeaders(),
      body: { field: 'image', fileName: file.name },
    }
    const { text } = await run.send(request, [200], { file })
    const { imageUrl } = JSON.parse(text)
    return { facts: { imagePath: new URL(imageUrl).pathname }, note: 'The planet shows this picture now.' }
  },

  async created(run) {
    const created = await waitForEvent(run, 'planetCreated')
    return { facts: { created }, note: 'planetCreated has arrived. Its body is the planet as it was created.' }
  },

  async verify(run) {
    const { text } = await run.callAsUser({ method: 'GET', path: '/me/signing-secret' }, 200)
    return {
      facts: { secret: JSON.parse(text).secret },
      note: 'This secret is yours alone. With it, your browser computes the signature itself.',
    }
  },

  async update(run) {
    const read = await run.callAsUser({ method: 'GET', path: planetPath(run) }, 200)
    const oldETag = headerOf(read, 'etag')
    await putPlanet(run, oldETag, 200)
    return { facts: { oldETag }, note: `The ETag was ${oldETag}. The planet has changed, so it has a new ETag.` }
  },

  async conflict(run) {
    const { oldETag = '' } = run.facts
    await putPlanet(run, oldETag, 412)
    return { note: `412 is the right answer: the ETag is no longer ${oldETag}. Your update is safe.` }
  },

  async fault(run) {
    const headers = [['Prefer', 'code=503']] as const
    const response = await run.call({ method: 'GET', path: '/planets', headers }, 503, 200)
    const seconds = headerOf(response, 'retry-after')
    if (response.status === 503)
      return { note: `A client should wait as long as Retry-After says (${seconds} seconds), and then try again.` }
    return { note: 'This service ignores the header: its operator has switched responses on demand off.' }
  },

  async explode(run) {
    await run.callAsUser({ method: 'POST', path: `${planetPath(run)}/explode` }, 200)
    return { note: 'The planet is gone. Its URL responds with 404.' }
  },

  async exploded(run) {
    const exploded = await waitForEvent(run, 'planetExploded')
    return { facts: { exploded }, note: 'planetExploded has arrived, with the planet in its last state.' }
  },

  async live(run) {
    const arrivals = await receiveInFourWays(run)
    return { facts: { arrivals }, note: 'The event of your second planet has arrived in four ways.' }
  },
}

const planetPath = ({ facts }: Run) => `/planets/${facts.planetId}`

/** PUT replaces the whole planet, so the name and the URL for callbacks are sent again. */
async function putPlanet(run: Run, eTag: string, expected: number): Promise<void> {
  const { name, update: description } = run.inputs
  const json = { name, description, successCallbackUrl: run.facts.inboxUrl }
  await run.callAsUser({ method: 'PUT', path: planetPath(run), headers: [['If-Match', eTag]], json }, expected)
}
