import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  BODY_CASES,
  CASES,
  codeOf,
  expected,
  judgeIn,
  receiveTwice,
  textOf,
} from '../../service/documented-receivers.ts'
import { describeLanguage, makeBuildFolder, makeJourney, openapiGenerator, run, STEPS, serviceUrl } from '../journey.ts'
import { folderOf } from '../languages.ts'

const folder = folderOf('rust')
const build = join(folder, 'build')

/** A program of the workspace, once it is compiled. */
const program = (name: string) => join(build, 'target', 'debug', name)

describeLanguage('rust', () => {
  describe('by openapi-generator, library reqwest', () => {
    // The receiver too, because both share most of what they depend on.
    it('are generated, and compile', async () => {
      for (const name of ['journey', 'receiver', 'judge']) await rm(program(name), { force: true })
      await openapiGenerator('rust', await makeBuildFolder('rust', 'client'), '-c', join(folder, 'generator.json'))
      await writeFile(join(build, 'receiver.rs'), codeOf('Rust', 'rust'))
      await run(
        ['cargo', 'build', '--locked', '--target-dir', 'build/target', '--package', 'journey', '--package', 'receiver'],
        folder,
      )
    })

    it('make the journey', async () => {
      expect(await makeJourney([program('journey')], folder)).toEqual(STEPS)
    })
  })

  describe('beside the receiver in docs/callbacks.md, which', () => {
    it('accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
      expect(await judgeIn(build, CASES, program('judge'), 'verify')).toEqual(expected(CASES))
    })

    it('accepts only the right x-signature', async () => {
      expect(await judgeIn(build, BODY_CASES, program('judge'), 'verify_body')).toEqual(expected(BODY_CASES))
    })

    it('takes a callback, and does nothing when it comes again', async () => {
      await receiveTwice(serviceUrl(), 'Rust', build, [program('receiver')])
    })

    it('needs the packages that the page adds', async () => {
      const manifest = await readFile(join(folder, 'receiver', 'Cargo.toml'), 'utf8')
      const used = [...manifest.matchAll(/^(\w+) = .*"=(.+?)"/gm)].map(([, name, version]) => `${name}@${version}`)
      const documented = [...textOf('Rust').matchAll(/\b(\w+)@([\d.]+)/g)].map(([text]) => text)
      expect(documented.length).toBeGreaterThan(0)
      expect(used.map((each) => documented.find((short) => `${each}.`.startsWith(`${short}.`)))).toEqual(documented)
    })
  })
})
