import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SECRETS } from './local-secrets.ts'

/**
 * The values of secrets for a deployment. A secret that has no file yet is generated, and written to a file before the
 * upload: Cloudflare never shows a secret again, and a rotation of keys needs the old ones. If an upload is
 * interrupted, the next one uploads the same values.
 *
 * @param folder Where the files are, one for each secret. It is created so that only this user can read it
 */
export async function readOrMakeSecrets(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readOrMakeSecret(folder, name)])))
}

async function readOrMakeSecret(folder: string, name: string): Promise<string> {
  const file = join(folder, name)
  const kept = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (kept !== undefined) return kept
  const value = await SECRETS[name]?.()
  if (value === undefined)
    throw new Error(`No generator is registered for the secret ${name} (scripts/lib/local-secrets.ts)`)
  // Written elsewhere and then renamed, so that an interruption cannot leave a partial secret.
  await writeFile(`${file}.new`, value, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return value
}
