import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/lib/root.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import { run, serviceUrl } from '../journey.ts'
import { folderOf } from '../languages.ts'

export const folder = folderOf('go')

const page = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')

/** Runs a command of Go that fetches nothing. What it needs has been installed. */
export const go = (...args: string[]) => run(['go', ...args], folder, { GOPROXY: 'off', GOFLAGS: '-mod=readonly' })

/** The code of a section of docs/tools.md, at the service of the tests. */
export const codesAtService = (heading: string, language: string) =>
  codesOf(sectionOf(page, heading).replaceAll('http://localhost:8787', serviceUrl()), language)
