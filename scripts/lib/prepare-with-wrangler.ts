import { writeLocalConfig } from './local-config.ts'
import { prepareDatabase } from './prepare.ts'
import { runWrangler } from './wrangler.ts'

/**
 * Prepares the local database of a clone. wrangler creates the file, because only it knows its name.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 * @throws Error as `prepareDatabase` does
 */
export async function prepareWithWrangler(stateFolder: string): Promise<void> {
  await prepareDatabase(stateFolder, async () => {
    const target = ['--local', '--persist-to', stateFolder, '--config', await writeLocalConfig()]
    await runWrangler(['d1', 'execute', 'DB', '--yes', '--command', 'select 1', ...target])
  })
}
