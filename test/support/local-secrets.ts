import { ensureLocalSecrets } from '../../scripts/local-secrets.ts'

/** Before the tests: services that start side by side would each make secrets of their own. */
export async function setup(): Promise<void> {
  await ensureLocalSecrets()
}
