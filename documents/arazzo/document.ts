import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { type ArazzoVersion, arazzoPath, type Notation, openApi32Path } from '../../src/features/documents/files.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { ArazzoDocument, Step, Workflow } from './types.ts'
import { NEWER_WORKFLOWS, SOURCES, WORKFLOWS } from './workflows.ts'

const INFO = {
  title: 'Galaxy workflows',
  summary: 'What clients do with the Galaxy API, step by step',
  description:
    'Each workflow is complete: it makes the account, does its work, and removes its planets. So it can run again and again, with one `email` and `password` for all.',
  version: CURRENT_API_VERSION,
}

/** Arazzo 1.0.1 over the OpenAPI 3.1 document, or 1.1.0 over those in OpenAPI 3.2 and AsyncAPI. */
export function describeWorkflows(version: ArazzoVersion, notation: Notation): ArazzoDocument {
  if (version === '1.0') {
    return {
      arazzo: '1.0.1',
      info: INFO,
      sourceDescriptions: [{ name: SOURCES.api, url: `${EXAMPLE_ORIGIN}/openapi.json`, type: 'openapi' }],
      workflows: WORKFLOWS,
    }
  }
  return {
    arazzo: '1.1.0',
    $self: EXAMPLE_ORIGIN + arazzoPath('1.1', notation),
    info: INFO,
    sourceDescriptions: [
      { name: SOURCES.api, url: EXAMPLE_ORIGIN + openApi32Path('json'), type: 'openapi' },
      { name: SOURCES.events, url: `${EXAMPLE_ORIGIN}/asyncapi.json`, type: 'asyncapi' },
    ],
    workflows: [...WORKFLOWS, ...NEWER_WORKFLOWS].map(withSources),
  }
}

/** With several descriptions, each operation must say where it is (Arazzo 1.1.0, "Step Object"). */
function withSources(workflow: Workflow): Workflow {
  const name = ({ operationId }: Step) =>
    operationId.startsWith('$') ? operationId : `$sourceDescriptions.${SOURCES.api}.${operationId}`
  return { ...workflow, steps: workflow.steps.map((step) => ({ ...step, operationId: name(step) })) }
}
