import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { requireTool } from './require-tool.ts'

// Parsers of others read the documents of the service.

const COMMON = readFileSync(join(ROOT, 'documents/out/openapi.json'), 'utf8')
const SCRIPT = [join(ROOT, 'scripts/run.cjs'), 'openapi', '--universe']
const MAX_BYTES = 10_000_000
const UNIVERSE = execFileSync(process.execPath, SCRIPT, { encoding: 'utf8', maxBuffer: MAX_BYTES })
const ASYNC = readFileSync(join(ROOT, 'documents/out/asyncapi.json'), 'utf8')

it.each([
  { world: 'the common world', text: COMMON },
  { world: 'a universe', text: UNIVERSE },
])('@apidevtools/swagger-parser accepts the OpenAPI document of $world', async ({ text }) => {
  const { SwaggerParser } = requireTool('@apidevtools/swagger-parser')
  await expect(SwaggerParser.validate(JSON.parse(text))).resolves.toHaveProperty('openapi', '3.1.1')
})

it('the document of the common world is read by the parser of dredd, with every path', async () => {
  const parser = requireTool('@apielements/core')
  parser.use(requireTool('@apielements/openapi3-parser'))
  const { annotations, api } = await new Promise<ParseResult>((resolve, reject) => {
    parser.parse({ source: COMMON }, (error: Error | null, result?: ParseResult) =>
      result ? resolve(result) : reject(error),
    )
  })
  const errors = annotations.filter((one) => one.classes.contains('error')).map((one) => one.toValue())
  expect(errors).toEqual([])
  expect(api?.resources.map(({ href }) => href.toValue())).toEqual(pathsOf(COMMON))
})

it('the document of a universe has no other paths, so that parser can read it too', () => {
  expect(pathsOf(COMMON)).toEqual(expect.arrayContaining(pathsOf(UNIVERSE)))
})

function pathsOf(text: string): string[] {
  return Object.keys(JSON.parse(text).paths)
}

/** The parts of the elements of API Elements that this test uses. */
interface ParseResult {
  annotations: { classes: { contains(name: string): boolean }; toValue(): unknown }[]
  api?: { resources: { map<Value>(callback: (resource: { href: { toValue(): unknown } }) => Value): Value[] } }
}

it('@asyncapi/parser accepts the AsyncAPI document, and only says that there is AsyncAPI 3.1 now', async () => {
  const { Parser } = requireTool('@asyncapi/parser')
  const { document, diagnostics } = await new Parser().parse(ASYNC)
  const complaints = diagnostics.filter(({ code }: Diagnostic) => code !== 'asyncapi-latest-version')
  expect(complaints.map(({ code, message, path }: Diagnostic) => `${code} ${path.join('.')}: ${message}`)).toEqual([])
  expect(document.allChannels().all()).toHaveLength(7)
  expect(document.allMessages().all().length).toBeGreaterThanOrEqual(24)
})

interface Diagnostic {
  code: string
  message: string
  path: string[]
}
