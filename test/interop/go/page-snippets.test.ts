import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { ShownRequest } from '../../../src/design/shown-request.ts'
import { snippetsOf } from '../../../src/design/snippets.ts'
import { CASES, ENVIRONMENT, expectSent, receiveShownRequests } from '../../service/pages/shown-requests.ts'
import { describeLanguage, run } from '../journey.ts'

// Runs the code in Go that pages show for a request, and compares what arrives with the request.

describeLanguage('go', () => {
  const server = receiveShownRequests()
  let program: string

  const codeOf = (request: ShownRequest) =>
    snippetsOf(server.at(request)).find(({ language }) => language === 'go')?.code ?? ''

  /** Makes one program of all requests, because to link one takes longer than to run it. Its argument is a case. */
  beforeAll(async () => {
    const place = join(server.folder(), 'all')
    await mkdir(place)
    const functions = CASES.map((request, index) => codeOf(request).replace('func main()', `func case${index}()`))
    const table = CASES.map((_, index) => `"${index}": case${index},`).join('\n')
    const main = `package main\nimport "os"\nfunc main() { map[string]func(){\n${table}\n}[os.Args[1]]() }\n`
    const names = ['main.go', ...functions.keys().map((index) => `case${index}.go`)]
    await Promise.all([main, ...functions].map((text, index) => writeFile(join(place, names[index] ?? ''), text)))
    await run(['go', 'build', '-o', 'program', ...names], place, ENVIRONMENT)
    program = join(place, 'program')
  })

  it.each(CASES.slice(-1))('the code of pages is a whole program: $name', async (request) => {
    const command = ['go', 'run', 'main.go'] as const
    await expectSent(request, await server.run(request, 'main.go', codeOf(request), command))
  })

  it.each(CASES)('the code of pages sends $name', async (request) => {
    const command = [program, String(CASES.indexOf(request))] as const
    await expectSent(request, await server.run(request, 'main.go', codeOf(request), command))
  })

  it('the code of pages is formatted as gofmt formats it', async () => {
    const place = join(server.folder(), 'format')
    await mkdir(place)
    await Promise.all(CASES.map((request, index) => writeFile(join(place, `${index}.go`), `${codeOf(request)}\n`)))
    expect(await run(['gofmt', '-l', place], place)).toBe('')
  })
})
