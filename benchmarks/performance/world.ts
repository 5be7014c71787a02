import { getTokens, registerClient, type Send } from '../../test/support/oauth.ts'
import { makePicture } from '../../test/support/pictures.ts'
import { json } from '../measure.ts'

/** What the requests of a load refer to at one server. */
export interface World {
  account: { email: string; password: string }
  planetId: number
  /** A token of POST /auth/token. */
  token: string
  apiKey: string
  /** An access token that the user has allowed an OAuth client. */
  accessToken: string
  imagePath: string
}

const ACCOUNT = { email: 'bench@galaxy.test', password: 'correct horse' }

/** For a server without a database: the peers respond to any id and any credential. */
export const ANY_WORLD: World = {
  account: ACCOUNT,
  planetId: 4,
  token: 'token',
  apiKey: 'key',
  accessToken: 'token',
  imagePath: '/images/any.png',
}

export const IMAGE_KIB = 100

/** A typical planet, with what a row of its own holds and what is in other rows. */
export const PLANET = {
  name: 'Arrakis',
  type: 'terrestrial',
  habitabilityIndex: 0.4,
  physicalProperties: {
    mass: 0.9,
    radius: 0.95,
    gravity: 0.9,
    temperature: { min: 250, max: 350, average: 300 },
  },
  atmosphere: [{ compound: 'N2', percentage: 78 }],
  tags: ['desert', 'spice'],
  satellites: [{ name: 'Krelln', diameter: 488, type: 'moon' }],
}

/** The same planet, as Galaxy reads it in XML. */
export const PLANET_XML =
  '<planet><name>Arrakis</name><type>terrestrial</type><habitabilityIndex>0.4</habitabilityIndex>' +
  '<physicalProperties><mass>0.9</mass><radius>0.95</radius><gravity>0.9</gravity>' +
  '<temperature><min>250</min><max>350</max><average>300</average></temperature></physicalProperties>' +
  '<atmosphere><compound>N2</compound><percentage>78</percentage></atmosphere>' +
  '<tags>desert</tags><tags>spice</tags>' +
  '<satellites><name>Krelln</name><diameter>488</diameter><type>moon</type></satellites></planet>'

/** Creates a user with a planet, an image, and a credential of each kind. */
export async function createWorld(send: Send): Promise<World> {
  await post(send, '/user/signup', json(ACCOUNT))
  const { token } = await post(send, '/auth/token', json(ACCOUNT))
  const headers = { Authorization: `Bearer ${token}` }
  const postAsUser = (path: string, body: object) => {
    const { headers: more, ...init } = json(body)
    return post(send, path, { ...init, headers: { ...headers, ...(more as Record<string, string>) } })
  }
  const { id: planetId } = await postAsUser('/planets', PLANET)
  const { key: apiKey } = await postAsUser('/me/api-keys', {})
  const form = new FormData()
  form.set('image', new Blob([makePicture('image/png', IMAGE_KIB * 1024)]))
  const { imageUrl } = await post(send, `/planets/${planetId}/image`, { method: 'POST', body: form, headers })
  const { access_token: accessToken } = await getTokens(send, ACCOUNT, await registerClient(send))
  return { account: ACCOUNT, planetId, token, apiKey, accessToken, imagePath: new URL(imageUrl).pathname }
}

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape
async function post(send: Send, path: string, init: RequestInit): Promise<any> {
  const response = await send(path, init)
  if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${await response.text()}`)
  return await response.json()
}
