import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { GUIDE_GROUPS } from './list.ts'
import type { NamedGuide } from './render.ts'

/** Registry: the documents that describe the service, with a sentence each. */
const DOCUMENTS = [
  { path: '/openapi.json', title: 'OpenAPI 3.1', about: 'Every operation, for tools that read OpenAPI 3.1.' },
  { path: '/openapi-3.2.json', title: 'OpenAPI 3.2', about: 'The same service with QUERY, COPY and streams, in 3.2.' },
  { path: '/asyncapi.json', title: 'AsyncAPI', about: 'The live events on WebSockets, and the callbacks.' },
  { path: '/arazzo.json', title: 'Arazzo 1.0.1', about: 'Workflows over the OpenAPI 3.1 document.' },
  { path: '/arazzo-1.1.json', title: 'Arazzo 1.1.0', about: 'Workflows over the OpenAPI 3.2 and AsyncAPI documents.' },
  {
    path: '/lab/openapi.json',
    title: 'Bench of the laboratory',
    about: 'The cases that judge what an API client sends.',
  },
] as const

/** The text of /llms.txt (llmstxt.org): a title, a sentence, and lists of links. */
export function writeLlmsText(guides: readonly NamedGuide[]): string {
  const sections = GUIDE_GROUPS.map(({ title, names }) => {
    const listed = guides.filter(({ name }) => (names as readonly string[]).includes(name))
    const lines = listed.map(({ name, title, summary }) => itemOf(title, `/guides/${name}.md`, summary))
    return [`## ${title}`, '', ...lines].join('\n')
  })
  const documents = DOCUMENTS.map(({ title, path, about }) => itemOf(title, path, about))
  const lead =
    '> The reference API for people who build API tools, and for people who learn HTTP: everything that it says is stored, checked, signed, delivered and secured.'
  return `${['# Galaxy', lead, ...sections, ['## Documents', '', ...documents].join('\n')].join('\n\n')}\n`
}

const itemOf = (title: string, path: string, about: string) => `- [${title}](${EXAMPLE_ORIGIN}${path}): ${about}`
