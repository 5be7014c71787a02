import type { Route } from '../../../src/http/pipeline/route.ts'
import { type Label, TAGS, type TagName } from '../../../src/http/tags.ts'
import { keysOf } from '../../../src/lib/objects.ts'
import { operationsIn } from '../path-item.ts'
import type { PathItem, Tag } from '../types.ts'

type Name = TagName | Label

interface TagDetails {
  summary: string
  /** `nav`: a group of operations. `badge`: a mark on operations (the registry of OpenAPI for kinds of tags). */
  kind: 'nav' | 'badge' | 'audience'
  parent?: TagName
  /** Absent if `TAGS` has it. */
  description?: string
}

/** Registry: what the tags are in OpenAPI 3.2 (section 4.22), in the order of the document. */
const TAG_DETAILS: Readonly<Record<Name, TagDetails>> = {
  Authentication: { summary: 'Sign up and sign in', kind: 'nav' },
  'Celestial Bodies': { summary: 'All celestial bodies', kind: 'nav' },
  Planets: { summary: 'Planets', kind: 'nav', parent: 'Celestial Bodies' },
  Callbacks: { summary: 'Calls to your receiver', kind: 'nav' },
  Webhooks: { summary: 'What webhooks receive', kind: 'nav', parent: 'Callbacks' },
  Events: { summary: 'Live events', kind: 'nav' },
  Streaming: {
    summary: 'Streams over HTTP',
    kind: 'nav',
    parent: 'Events',
    description: 'Responses that go on: each event is sent as soon as it happens.',
  },
  OAuth: { summary: 'OAuth 2.0 and OpenID Connect', kind: 'nav' },
  Universes: { summary: 'Worlds of your own', kind: 'nav' },
  Laboratory: { summary: 'Tests of API clients', kind: 'nav' },
  Documents: { summary: 'About the service', kind: 'nav' },
  Beta: {
    summary: 'May still change',
    kind: 'badge',
    description: 'Operations that are newer than the others. The mark restricts nothing.',
  },
  Partners: {
    summary: 'For integrations',
    kind: 'audience',
    description: 'Operations that programs of partners use most. The mark restricts nothing, and anyone may use them.',
  },
}

/** Only in OpenAPI 3.2, an operation can have tags of several kinds. */
export function operationTags({ tag, labels }: Route): Name[] {
  return labels ? [...labels] : [tag]
}

export function tagsOf(items: readonly PathItem[]): Tag[] {
  const used = new Set(items.flatMap((item) => operationsIn(item).flatMap(([, { tags }]) => tags)))
  // A parent must be a tag of the document.
  for (const name of keysOf(TAG_DETAILS)) {
    const { parent } = TAG_DETAILS[name]
    if (used.has(name) && parent) used.add(parent)
  }
  const descriptions: Partial<Record<Name, string>> = TAGS
  return keysOf(TAG_DETAILS)
    .filter((name) => used.has(name))
    .map((name) => {
      const { description = String(descriptions[name]), ...details } = TAG_DETAILS[name]
      return { name, ...details, description }
    })
}
