import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '../../service/callbacks-client.ts'
import { codeOf, describeComingAgain, eventIdOf } from '../../service/coming-again.ts'
import { describeLanguage, makeBuildFolder, serviceUrl } from '../journey.ts'
import { go } from './go.ts'

// Runs the program in docs/live.md under "Go".

describeLanguage('go', () => {
  const program = describeComingAgain(serviceUrl())

  it('the program of docs/live.md comes again, misses nothing, and sends pings', async () => {
    const [code = ''] = codeOf('Go', 'go')
    // So that it does not come again because of a late answer, it waits for one as long as before.
    const often = code
      .replace('pingEvery = 30 * time.Second', 'pingEvery = time.Second')
      .replace('2*pingEvery', '60*pingEvery')
    expect(often).toContain('60*pingEvery')
    // In this module are the versions that the lock file names.
    await writeFile(join(await makeBuildFolder('go', 'live'), 'main.go'), often)
    const file = join(program.folder(), 'program')
    await go('build', `-o=${file}`, './build/live')
    program.start([file])
    await program.expectAll('celestial_body.created', eventIdOf)
    const received = program.received()
    // Nothing else happens in this universe: it is the answer to a ping.
    await until(program.received, (bytes) => bytes > received)
  })
})
