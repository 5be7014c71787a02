import { setTimeout as sleep } from 'node:timers/promises'

// Tries a deployment from outside. Everything that is written is in a universe, which ends afterwards.

interface SmokeTest {
  title: string
  /**
   * Makes the check.
   *
   * @returns UNIVERSES_OFF if the check was not made, because it needs a universe. Any other result if the service
   * passes
   * @throws Error with what is wrong
   */
  run(origin: string): Promise<unknown>
}

const UNIVERSES_OFF = 'universes are off'

/** A new address of Cloudflare may need some time until it can be reached. */
const READY_TIMEOUT_MS = 60_000
const READY_POLL_MS = 1_000
const REQUEST_TIMEOUT_MS = 30_000
/** The maximum length of a wrong response in a message. */
const SHOWN_LENGTH = 500

/** No planet has this id, because ids are given in order. */
const UNKNOWN_PLANET = 999_999_999

/** The smallest PNG: one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

export const SMOKE_TESTS: SmokeTest[] = [
  { title: 'every part of the platform', run: (origin) => request(origin, '/readyz', 200) },
  { title: 'a shipped planet', run: checkPlanet },
  { title: 'a planet that does not exist', run: checkUnknownPlanet },
  { title: 'the OpenAPI document', run: (origin) => request(origin, '/openapi.json', 200) },
  { title: 'the keys that sign tokens', run: checkKeys },
  { title: 'the first page, with its styles', run: checkPage },
  { title: 'a sign-up, a planet and an image, in a universe that is made for this and then ended', run: tryUniverse },
]

/**
 * Tries the service at an address.
 *
 * @throws Error with what is wrong
 */
export async function runSmokeTest(origin: string): Promise<void> {
  await untilReady(origin)
  for (const { title, run } of SMOKE_TESTS) {
    const result = await run(origin)
    console.log(result === UNIVERSES_OFF ? `  not checked, because UNIVERSES is off: ${title}` : `  ok: ${title}`)
  }
}

/**
 * Waits until the service responds. If it never does, no error is thrown here, because the first check will say why.
 */
async function untilReady(origin: string): Promise<void> {
  for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline; await sleep(READY_POLL_MS)) {
    try {
      const response = await fetch(new URL('/planets/4', origin), { signal: timeout() })
      await response.body?.cancel()
      if (response.ok) return
    } catch (error) {
      // Nothing listens at this address, and waiting will not change that.
      if (causeOf(error).code === 'ECONNREFUSED') return
    }
  }
}

/** The cause of an error of `fetch`, whose own message only says that it failed. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as Error
  return (cause ?? error) as NodeJS.ErrnoException
}

async function checkPlanet(origin: string): Promise<void> {
  const { name } = await requestJson(origin, '/planets/4', 200)
  expect(name === 'Mars', `planet 4 is ${name}, not Mars`)
}

async function checkUnknownPlanet(origin: string): Promise<void> {
  const { headers } = await request(origin, `/planets/${UNKNOWN_PLANET}`, 404)
  expect(headers.get('Content-Type')?.startsWith('application/problem+json'), 'a 404 is not a problem document')
}

async function checkKeys(origin: string): Promise<void> {
  const { issuer, jwks_uri } = await requestJson(origin, '/.well-known/openid-configuration', 200)
  expect(issuer === origin, `the issuer of tokens is ${issuer}. Is PUBLIC_URL right?`)
  const { keys } = await requestJson(origin, jwks_uri, 200)
  expect(keys?.length > 0, 'there is no key')
}

async function checkPage(origin: string): Promise<void> {
  const html = await (await request(origin, '/', 200, { headers: { Accept: 'text/html' } })).text()
  const [, stylesheet] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? []
  expect(stylesheet !== undefined, 'the first page has no styles')
  await request(origin, stylesheet ?? '', 200)
}

async function tryUniverse(origin: string): Promise<unknown> {
  const made = await fetch(new URL('/universes', origin), { method: 'POST', signal: timeout() })
  const answer = (await made.json()) as Members
  if (answer.type?.endsWith('/universes-off')) return UNIVERSES_OFF
  expect(made.status === 201, `POST /universes returned ${made.status}: ${JSON.stringify(answer)}`)
  const { url, token } = answer
  try {
    await useUniverse(url)
  } finally {
    await request(url, `${url}/universe`, 204, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })
  }
  return await request(url, `${url}/planets/4`, 410)
}

async function useUniverse(url: string): Promise<void> {
  const user = { email: 'smoke-test@galaxy.example', password: 'i-love-planets' }
  await request(url, `${url}/user/signup`, 201, { method: 'POST', ...json(user) })
  const { token } = await requestJson(url, `${url}/auth/token`, 201, { method: 'POST', ...json(user) })
  const Authorization = `Bearer ${token}`
  const body = json({ name: 'Arrakis' }, { Authorization })
  const { id } = await requestJson(url, `${url}/planets`, 201, { method: 'POST', ...body })
  const form = new FormData()
  form.set('image', new File([PIXEL], 'pixel.png'))
  const upload = { method: 'POST', headers: { Authorization }, body: form }
  const { imageUrl } = await requestJson(url, `${url}/planets/${id}/image`, 200, upload)
  const image = await (await request(url, imageUrl, 200)).bytes()
  expect(PIXEL.equals(image), 'an image came back changed')
}

function json(value: object, headers: Record<string, string> = {}): RequestInit {
  return { body: JSON.stringify(value), headers: { 'Content-Type': 'application/json', ...headers } }
}

/**
 * @param path A path or a URL
 * @throws Error if the response has another status
 */
async function request(origin: string, path: string, status: number, init: RequestInit = {}): Promise<Response> {
  const url = new URL(path, origin)
  const response = await fetch(url, { ...init, signal: timeout() }).catch((error) => {
    throw new Error(`${init.method ?? 'GET'} ${url} failed: ${causeOf(error).message}`)
  })
  if (response.status === status) return response
  // Only errors are shown, because a success can contain a token.
  const text = response.ok ? '' : (await response.text()).slice(0, SHOWN_LENGTH)
  throw new Error(`${init.method ?? 'GET'} ${url} returned ${response.status} instead of ${status}:\n${text}`)
}

// biome-ignore lint/suspicious/noExplicitAny: what is wrong with the shape of a response is what the checks find out
type Members = Record<string, any>

async function requestJson(...args: Parameters<typeof request>): Promise<Members> {
  return (await (await request(...args)).json()) as Members
}

function timeout(): AbortSignal {
  return AbortSignal.timeout(REQUEST_TIMEOUT_MS)
}

function expect(condition: unknown, fault: string): void {
  if (!condition) throw new Error(`The service does not work: ${fault}`)
}
