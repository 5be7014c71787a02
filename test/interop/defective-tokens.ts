import { TOKEN_DEFECTS } from '../../src/domain/token-defects.ts'
import { registerClient, requestTokens, type Send } from '../support/oauth.ts'

/** A token with each defect, of a new universe, and one that is right in all (`control`). */
export async function makeDefectiveTokens(
  service: string,
): Promise<{ url: string; tokens: Readonly<Record<string, string>> }> {
  const made = await fetch(`${service}/universes`, { method: 'POST' })
  const { url, token } = (await made.json()) as { url: string; token: string }
  const send: Send = (path, init) => fetch(url + path, init)
  const metadata = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  const client = await registerClient(send, metadata, `Bearer ${token}`)
  const asked = await requestTokens(send, client, { grant_type: 'client_credentials', scope: 'read:account' })
  const { access_token: control } = (await asked.json()) as { access_token: string }
  const tokens: Record<string, string> = { control }
  for (const defect of TOKEN_DEFECTS) {
    const response = await send('/universe/tokens', {
      method: 'POST',
      body: JSON.stringify({ defect }),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    })
    tokens[defect] = ((await response.json()) as { token: string }).token
  }
  return { url, tokens }
}
