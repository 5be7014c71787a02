import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROUTES } from '../../src/app.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { describeService } from '../../src/openapi/document.ts'
import { printJson } from '../../src/openapi/print.ts'
import { ROOT } from './wrangler.ts'

// Writes openapi.json, the OpenAPI document that is generated from the code. With --check, only compares the two.

const file = join(ROOT, 'openapi.json')
const text = printJson(describeService(ROUTES, CURRENT_API_VERSION))

if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error('openapi.json is out of date with the routes and schemas. Run: npm run generate')
    process.exitCode = 1
  }
} else {
  await writeFile(file, text)
}
