import { createHash, randomBytes } from 'node:crypto'
import type { Account } from './account.ts'
import type { Answer, Members } from './answer.ts'
import { bearer, type Credential } from './credentials.ts'
import { findForm } from './html.ts'
import { noteSecret } from './secrets.ts'
import type { World } from './world.ts'

const REDIRECT_URI = 'http://127.0.0.1/callback'
/** The redirect must return it unchanged. */
const STATE = 'here'
/** More than any sign-in needs. */
const STEPS_MAX = 8

/** What the provider says of itself (OpenID Connect Discovery 1.0). */
export async function discover(world: World): Promise<Members> {
  const answer = await world.get('/.well-known/openid-configuration')
  const metadata = answer.expectStatus(200).json()
  answer.expect(metadata.issuer === world.url, `the issuer ${world.url}`, `${metadata.issuer}`)
  return metadata
}

/** A token that a client gets for itself (RFC 6749, section 4.4). It acts as the user who has registered the client. */
export async function getClientToken(world: World, scope: string): Promise<Credential> {
  const { registration_endpoint, token_endpoint } = await discover(world)
  const json = { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_post' }
  const registered = await world.post(registration_endpoint, { as: await world.credential(), json })
  const { client_id, client_secret } = registered.expectStatus(201).json()
  noteSecret(client_secret)
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope })
  return await readToken(await world.post(token_endpoint, { body }))
}

/** A token that an application gets after a user has signed in and allowed it (RFC 6749, section 4.1, with PKCE). */
export async function getUserToken(world: World, user: Account, scope: string): Promise<Credential> {
  const { registration_endpoint, authorization_endpoint, token_endpoint } = await discover(world)
  const json = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
  const { client_id } = (await world.post(registration_endpoint, { json })).expectStatus(201).json()
  const verifier = randomBytes(32).toString('base64url')
  noteSecret(verifier)
  const request = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope,
    state: STATE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const code = await signIn(world, user, `${authorization_endpoint}?${request}`)
  const grant = { grant_type: 'authorization_code', code, client_id, redirect_uri: REDIRECT_URI }
  const body = new URLSearchParams({ ...grant, code_verifier: verifier })
  return await readToken(await world.post(token_endpoint, { body }))
}

async function readToken(answer: Answer): Promise<Credential> {
  const { access_token, token_type } = answer.expectStatus(200).json()
  answer.expect(/^bearer$/i.test(token_type), 'token_type Bearer', `${token_type}`)
  return bearer(access_token)
}

/** Follows the pages of the sign-in as a browser does. @returns The code */
async function signIn(world: World, { email, password }: Account, url: string): Promise<string> {
  const cookies: Record<string, string> = {}
  let answer = await world.get(url)
  for (let step = 0; step < STEPS_MAX; step++) {
    for (const cookie of answer.headers.getSetCookie()) {
      // The attributes of a cookie follow after a semicolon.
      const [, name = '', value = ''] = /^([^=;]*)=?([^;]*)/.exec(cookie) ?? []
      cookies[name] = value
      noteSecret(value)
    }
    const headers = {
      Cookie: Object.entries(cookies)
        .map((pair) => pair.join('='))
        .join('; '),
    }
    const location = answer.headers.get('Location')
    if (location?.startsWith(REDIRECT_URI)) return readCode(answer, location)
    if (location !== null) answer = await world.get(new URL(location, world.url).href, { headers })
    else answer = await submit(world, answer, { email, password, decision: 'allow' }, headers)
  }
  return answer.fail(`a redirect to ${REDIRECT_URI} after sign-in and consent`, 'one page after the other')
}

function readCode(answer: Answer, location: string): string {
  const { searchParams } = new URL(location)
  const code = searchParams.get('code')
  if (code === null || searchParams.get('state') !== STATE) answer.fail('a code and the state', location)
  noteSecret(code)
  return code
}

/** Sends the form of a page. */
async function submit(world: World, page: Answer, fields: Record<string, string>, headers: Record<string, string>) {
  const form = findForm(page.expectStatus(200).text)
  if (!form) page.fail('a page with a form', 'one without')
  const body = new URLSearchParams({ ...form.fields, ...fields })
  return await world.post(new URL(form.action, world.url).href, { body, headers })
}
