import { json } from '../measure.ts'

const ACCOUNT = { email: 'live@galaxy.test', password: 'correct horse' }

/** Signs up at a server. @returns A token */
export async function signUp(url: string): Promise<string> {
  await fetch(`${url}/user/signup`, json(ACCOUNT))
  const response = await fetch(`${url}/auth/token`, json(ACCOUNT))
  const { token } = (await response.json()) as { token: string }
  return token
}
