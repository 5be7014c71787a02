import { basic, type Finding, json, measureInTurn, request } from './measure.ts'

const ROUNDS = 50
const BOB = { email: 'bob@galaxy.test', password: 'correct horse' }
const WRONG = { ...BOB, password: 'wrong horse' }
const UNKNOWN = { ...WRONG, email: 'eve@galaxy.test' }

/** The response time does not reveal which accounts exist. */
export async function compareUnknownWithWrong(url: string): Promise<Finding[]> {
  await request(`${url}/user/signup`, 201, json(BOB))()
  const places = [
    ['POST /auth/token', (pair: typeof BOB) => request(`${url}/auth/token`, 401, json(pair))],
    ['Basic', (pair: typeof BOB) => request(`${url}/me`, 401, basic(pair))],
  ] as const
  const findings: Finding[] = []
  for (const [place, attempt] of places) {
    const [wrong, unknown] = await measureInTurn(attempt(WRONG), attempt(UNKNOWN), ROUNDS)
    console.log(`${place}: ${wrong.toFixed(1)} ms for a wrong password, ${unknown.toFixed(1)} ms for an unknown e-mail`)
    const ratio = Math.max(wrong, unknown) / Math.min(wrong, unknown)
    findings.push({ name: `a wrong password and an unknown e-mail, ${place}`, ratio, atMost: 1.1 })
  }
  return findings
}
