import { join } from 'node:path'
import { generateFrom } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfJar } from '../../maven.ts'

export const COLUMNS: readonly Column[] = [
  {
    name: 'openapi-generator-php',
    language: 'PHP',
    folder: 'php',
    tool: 'openapi-generator php',
    version: () => versionOfJar('generator', 'openapi-generator-cli'),
    document: 'openapi.json',
    stops: [
      {
        cases: ['body/similar-names'],
        message: 'PHP Fatal error: Cannot redeclare Galaxy\\Model\\BodySimilarNamesValue::getFooBar()',
      },
    ],
    skip: {},
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/form-object-explode',
      'query/form-object',
      'query/boolean-array',
      'query/comma-item',
    ],
    build: (document, output) =>
      generateFrom(document, 'php', output, '--additional-properties', 'invokerPackage=Galaxy'),
    command: (output) => ({ command: ['php', join(folderOf('php'), 'lab/driver.php')], cwd: output }),
  },
]
