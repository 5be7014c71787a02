import { type Check, checks, type Row, type Setting } from '../check.ts'
import { Failure } from '../failure.ts'
import { type Call, makeInbox, type Receiver } from '../inbox.ts'
import { noteSecret } from '../secrets.ts'
import { expectPlanet, expectSignature } from './callbacks.ts'

// Only letters, because OAuth encodes other characters before they are encoded for Basic (RFC 6749, section 2.3.1).
const PASSWORD = 'receiverPassword'
const KEY = 'receiver-key'
const BASIC = Buffer.from(`client:${PASSWORD}`).toString('base64')
for (const secret of [PASSWORD, KEY, BASIC]) noteSecret(secret)

/** How a call of a subscription presents one of the schemes. */
interface Presentation {
  scheme: string
  /** @param providerUrl A URL of the inbox that stands for the token endpoint or the issuer */
  auth(providerUrl: string): object
  isRight(call: Call): boolean
  /**
   * The service first asks the provider for a token. An inbox returns none, so this request is the call that is judged.
   */
  asksFirst?: true
}

const client = { clientId: 'client', clientSecret: PASSWORD }
const isBasic = ({ headers }: Call) => headers.get('authorization') === `Basic ${BASIC}`

const PRESENTATIONS: Presentation[] = [
  {
    scheme: 'bearerAuth',
    auth: () => ({ token: KEY }),
    isRight: ({ headers }) => headers.get('authorization') === `Bearer ${KEY}`,
  },
  { scheme: 'basicAuth', auth: () => ({ username: 'client', password: PASSWORD }), isRight: isBasic },
  {
    scheme: 'apiKeyQuery',
    auth: () => ({ key: KEY }),
    isRight: ({ path }) => new URL(path, 'http://inbox').searchParams.get('api_key') === KEY,
  },
  { scheme: 'apiKeyHeader', auth: () => ({ key: KEY }), isRight: ({ headers }) => headers.get('x-api-key') === KEY },
  {
    scheme: 'apiKeyCookie',
    auth: () => ({ key: KEY }),
    isRight: ({ headers }) => headers.get('cookie') === `api_key=${KEY}`,
  },
  {
    scheme: 'oAuth2',
    auth: (tokenUrl) => ({ tokenUrl, ...client }),
    isRight: (call) => isBasic(call) && new URLSearchParams(call.body).get('grant_type') === 'client_credentials',
    asksFirst: true,
  },
  {
    scheme: 'openIdConnect',
    auth: (issuer) => ({ issuer, ...client }),
    isRight: ({ method, path }) => method === 'GET' && path.endsWith('/.well-known/openid-configuration'),
    asksFirst: true,
  },
]

/** Subscribes to new planets while the work runs. */
async function subscribe(
  { world }: Setting,
  url: string,
  auth: object | undefined,
  work: (secret: string) => Promise<void>,
) {
  const as = await world.credential()
  const answer = await world.post('/webhooks', { as, json: { url, events: ['newPlanet'], ...(auth && { auth }) } })
  const { id, secret } = answer.expectStatus(201).json()
  noteSecret(secret)
  try {
    await work(secret)
  } finally {
    await world.send('DELETE', `/webhooks/${id}`, { as })
  }
}

/** An inbox of its own, because a subscription is called for the planets of all checks. */
async function openReceiver({ world }: Setting): Promise<Receiver> {
  return (await makeInbox(world)).receiver()
}

async function checkNewPlanet(setting: Setting) {
  const { world } = setting
  const receiver = await openReceiver(setting)
  await subscribe(setting, receiver.url, undefined, async (secret) => {
    const { id } = await world.makePlanet({ name: 'Arrakis' })
    const planet = (await world.get(`/planets/${id}`)).expectStatus(200).json()
    const call = await receiver.expectCall('a call newPlanet', ({ body }) => JSON.parse(body).id === id)
    expectPlanet(call, planet)
    expectSignature(call, secret)
  })
}

async function checkPresentation(setting: Setting, { scheme, auth, isRight, asksFirst }: Presentation) {
  const receiver = (await setting.world.inbox()).receiver()
  const provider = (await setting.world.inbox()).receiver()
  await subscribe(setting, receiver.url, { scheme, ...auth(provider.url) }, async () => {
    await setting.world.makePlanet()
    const call = asksFirst
      ? await provider.expectCall('a request for a token')
      : await receiver.expectCall('a call newPlanet')
    if (isRight(call)) return
    const headers = [...call.headers].map((pair) => pair.join(': ')).join(', ')
    throw new Failure(`a call with ${scheme}`, `${call.method} ${call.path} ${headers}`)
  })
}

export const webhookChecks: Check[] = checks('Webhook POST /newPlanet', [
  ['every new planet is told, signed', checkNewPlanet],
  ...PRESENTATIONS.map((one): Row => [one.scheme, (setting) => checkPresentation(setting, one)]),
])
