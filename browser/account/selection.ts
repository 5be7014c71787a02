import { findInboxId } from '../lib/inbox-store.ts'

// What the page shows (the selection): a section, or one item of it. It is the fragment of the URL, so that a reload, a
// bookmark and the Back button restore it: `#deliveries?status=failed`, `#deliveries/12`.

/** The fragment that shows the sign-up form, if nobody is signed in. */
export const SIGN_UP_HASH = '#sign-up'

/** The sections of the page, with their names in the navigation. */
export const SECTIONS = {
  deliveries: 'Deliveries',
  subscriptions: 'Subscriptions',
  inboxes: 'Inboxes',
  keys: 'API keys',
  applications: 'Applications',
  profile: 'Profile',
} as const

export type Section = keyof typeof SECTIONS

export interface Selection {
  section: Section
  /** The open delivery or inbox. */
  id: string | undefined
  query: URLSearchParams
}

/** @returns Undefined if it is not a selection, such as `#main` of the skip link */
export function parseSelection(hash: string): Selection | undefined {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?')
  const [section = '', id] = path.split('/')
  if (!Object.hasOwn(SECTIONS, section)) return undefined
  return { section: section as Section, id: parseId(section, id), query: new URLSearchParams(query) }
}

/** Anything but an id shows the list. Without this check, `..` would call another path of the API. */
function parseId(section: string, text = ''): string | undefined {
  if (section === 'deliveries' && /^\d+$/.test(text)) return text
  if (section === 'inboxes' && findInboxId(text) === text.toLowerCase()) return text.toLowerCase()
  return undefined
}

/** The number of the page in the query of a selection; 1 if the query has no valid one. */
export function pageNumberOf(query: URLSearchParams): number {
  const page = Math.trunc(Number(query.get('page')))
  return Number.isNaN(page) ? 1 : Math.max(1, page)
}

/** Empty members of the query are left out. */
export function hashOf(section: Section, id = '', query: Readonly<Record<string, string>> = {}): string {
  const present = Object.entries(query).filter(([, value]) => value !== '')
  const path = id === '' ? section : `${section}/${id}`
  return present.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(present)}`
}
