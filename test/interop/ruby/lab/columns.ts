import { join } from 'node:path'
import { generateFrom } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfJar } from '../../maven.ts'

export const COLUMNS: readonly Column[] = [
  {
    name: 'openapi-generator-ruby',
    language: 'Ruby',
    folder: 'ruby',
    tool: 'openapi-generator ruby',
    version: () => versionOfJar('generator', 'openapi-generator-cli'),
    document: 'openapi.json',
    stops: [],
    skip: {},
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/boolean-array',
      'query/single-item',
      'query/comma-item',
      'query/empty-array',
      'form/array-unexploded',
    ],
    build: (document, output) =>
      generateFrom(document, 'ruby', output, '--additional-properties', 'gemName=galaxy,moduleName=Galaxy'),
    command: (output) => ({ command: ['ruby', join(folderOf('ruby'), 'lab/driver.rb')], cwd: output }),
  },
]
