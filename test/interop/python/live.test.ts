import { join } from 'node:path'
import { it } from 'vitest'
import { codeOf, describeComingAgain, eventIdOf } from '../../service/coming-again.ts'
import { describeLanguage, serviceUrl } from '../journey.ts'
import { folderOf } from '../languages.ts'

// Runs the program in docs/live.md under "Python".

describeLanguage('python', () => {
  const program = describeComingAgain(serviceUrl())

  it('the program of docs/live.md comes again, and misses nothing', async () => {
    await program.run(codeOf('Python', 'python')[0] ?? '', join(folderOf('python'), 'build', 'venv', 'bin', 'python'))
    await program.expectAll('celestial_body.created', eventIdOf)
  })
})
