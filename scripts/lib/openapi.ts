import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { eventDocumentAt } from '../../src/features/documents/event-servers.ts'
import { asyncApiFile, openApi32File, openApiFile } from '../../src/features/documents/files.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { buildFiles } from './build-files.ts'
import { readBuiltDocument } from './documents.ts'
import { ROOT } from './root.ts'

// Writes the documents that are kept in the repository (documents/out). With --check, only compares them. With
// --universe, prints the OpenAPI document of a universe instead (with --3.2 the one in OpenAPI 3.2), which the repository
// does not contain.

await buildFiles()

/** Each file, and what it is generated from. */
const FILES = [
  {
    name: 'documents/out/openapi.json',
    sources: 'the routes and schemas',
    text: await readBuiltDocument(openApiFile('common', CURRENT_API_VERSION, 'json')),
  },
  {
    name: 'documents/out/openapi-3.2.json',
    sources: 'the routes and schemas',
    text: await readBuiltDocument(openApi32File('common', 'json')),
  },
  {
    name: 'documents/out/asyncapi.json',
    sources: 'the catalogue of events and the schemas',
    text: eventDocumentAt(await readBuiltDocument(asyncApiFile('json')), EXAMPLE_ORIGIN),
  },
]

if (process.argv.includes('--universe')) {
  const isNewer = process.argv.includes('--3.2')
  const file = isNewer ? openApi32File('universe', 'json') : openApiFile('universe', CURRENT_API_VERSION, 'json')
  process.stdout.write(await readBuiltDocument(file))
} else {
  for (const { name, sources, text } of FILES) {
    const file = join(ROOT, name)
    if (!process.argv.includes('--check')) await writeFile(file, text)
    else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      console.error(`${name} is out of date with ${sources}. Run: npm run generate`)
      process.exitCode = 1
    }
  }
}
