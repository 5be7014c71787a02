import { describe, expect, it } from 'vitest'
import type { ShownRequest } from '../../../src/design/shown-request.ts'
import { type Snippet, snippetsOf } from '../../../src/design/snippets.ts'
import type { Command } from '../documented-receivers.ts'
import { isTested } from '../installed.ts'
import { CASES, expectSent, receiveShownRequests } from './shown-requests.ts'

// Runs the code that pages show for a request, and compares what arrives with the request. That for Go is run in
// test/interop/go.

const server = receiveShownRequests()

/** How a language is run: the name of the file, and the command. */
interface Runner {
  file: string
  command: Command
  canRun: boolean
}

const RUNNERS: Readonly<Record<Exclude<Snippet['language'], 'go'>, Runner>> = {
  curl: { file: 'request.sh', command: ['bash', '--norc', 'request.sh'], canRun: canRun('curl', '--version') },
  fetch: { file: 'request.mjs', command: [process.execPath, 'request.mjs'], canRun: true },
  python: { file: 'request.py', command: ['python3', 'request.py'], canRun: canRun('python3', '--version') },
}

function canRun(program: string, versionArgument: string): boolean {
  return isTested(program, [program, versionArgument], `the code that pages show for ${program}`)
}

function codeOf(language: string, request: ShownRequest): string {
  return snippetsOf(server.at(request)).find((one) => one.language === language)?.code ?? ''
}

describe.each(Object.entries(RUNNERS))('the code for %s', (language, { file, command, canRun }) => {
  it.runIf(canRun).each(CASES)('sends $name', async (request) => {
    await expectSent(request, await server.run(request, file, codeOf(language, request), command))
  })
})

it('the code is as plain as the request', () => {
  const request = { method: 'GET', url: '/planets/4', headers: [] }
  const { url } = server.at(request)
  expect(codeOf('curl', request)).toBe(`curl -i ${url}`)
  expect(codeOf('fetch', request)).toBe(
    `const response = await fetch('${url}')\nconsole.log(response.status, await response.text())`,
  )
})
