import { basic, type Finding, json, measureInTurn, request } from './measure.ts'

const ROUNDS = 300
const ADA = { email: 'ada@galaxy.test', password: 'correct horse' }

/** Basic sends the password with every call, but only the first call pays for its hash. */
export async function compareBasicWithBearer(url: string): Promise<Finding[]> {
  await request(`${url}/user/signup`, 201, json(ADA))()
  const response = await fetch(`${url}/auth/token`, json(ADA))
  const { token } = (await response.json()) as { token: string }
  const withBasic = request(`${url}/me`, 200, basic(ADA))
  const withBearer = request(`${url}/me`, 200, { headers: { Authorization: `Bearer ${token}` } })
  await withBasic()
  const [basicTime, bearerTime] = await measureInTurn(withBasic, withBearer, ROUNDS)
  console.log(`GET /me: ${basicTime.toFixed(2)} ms with Basic, ${bearerTime.toFixed(2)} ms with a token`)
  return [
    { name: 'a later call with Basic, compared with one with a token', ratio: basicTime / bearerTime, atMost: 1.5 },
  ]
}
