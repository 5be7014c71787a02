// The state of the scoreboard as the query of its URL, so that a view can be shared and survives a reload. Default values
// are left out.

export interface State {
  sort: { column: string; isReversed: boolean }
  /** A value of each is shown alone; empty: all. */
  language: string
  level: string
  group: string
  /** What the id or the title of a case contains. */
  text: string
  /** The version of OpenAPI whose cases are shown, with the clients that read it. */
  openapi: string
  /** Whether only cases are shown in which clients differ. */
  differ: boolean
  /** The clients to compare. Undefined: as many as the screen has room for. */
  clients: readonly string[] | undefined
}

/** The values that the page has. */
export interface Known {
  sort: readonly string[]
  language: readonly string[]
  level: readonly string[]
  group: readonly string[]
  openapi: readonly string[]
  clients: readonly string[]
}

export const FIRST_STATE: State = {
  sort: { column: 'core', isReversed: false },
  language: '',
  level: '',
  group: '',
  text: '',
  openapi: '3.1',
  differ: false,
  clients: undefined,
}

/** The characters of a value that is ignored, as it is shown. */
const SHOWN_MAX = 60

/** Reads a state. @returns What does not exist is in `ignored`, as `name=value` */
export function readState(query: URLSearchParams, known: Known): { state: State; ignored: string[] } {
  let state = FIRST_STATE
  const ignored: string[] = []
  for (const [name, value] of query) {
    const { change, unknown } = readOne(name, value, known)
    state = { ...state, ...change }
    ignored.push(...unknown.map((one) => `${name}=${one}`.slice(0, SHOWN_MAX)))
  }
  return { state, ignored }
}

/** What a parameter changes, and the values in it that the page does not have. */
function readOne(name: string, value: string, known: Known): { change: Partial<State>; unknown: readonly string[] } {
  const changes = (change: Partial<State>) => ({ change, unknown: [] })
  if (name === 'clients') {
    const asked = value.split(',').filter(Boolean)
    const clients = known.clients.filter((client) => asked.includes(client))
    const unknown = asked.filter((one) => !clients.includes(one))
    return { change: clients.length === 0 && asked.length > 0 ? {} : { clients }, unknown }
  }
  if (name === 'text') return changes({ text: value })
  if (name === 'differ' && value === '1') return changes({ differ: true })
  if (
    (name === 'language' || name === 'level' || name === 'group' || name === 'openapi') &&
    known[name].includes(value)
  )
    return changes({ [name]: value })
  const column = value.replace(/^-/, '')
  if (name === 'sort' && known.sort.includes(column))
    return changes({ sort: { column, isReversed: value.startsWith('-') } })
  return { change: {}, unknown: [value] }
}

/** The query of a state, with a question mark; empty for the default state. */
export function writeState({ sort, language, level, group, openapi, text, differ, clients }: State): string {
  const order = `${sort.isReversed ? '-' : ''}${sort.column}`
  const entries = [
    ['sort', order === FIRST_STATE.sort.column ? undefined : order],
    ['language', language || undefined],
    ['level', level || undefined],
    ['group', group || undefined],
    ['text', text || undefined],
    ['openapi', openapi === FIRST_STATE.openapi ? undefined : openapi],
    ['differ', differ ? '1' : undefined],
    ['clients', clients?.join()],
  ] as const
  const query = new URLSearchParams()
  for (const [name, value] of entries) if (value !== undefined) query.set(name, value)
  // A comma needs no escape in a query (RFC 3986, section 3.4), and is easier to read.
  const written = query.toString().replaceAll('%2C', ',')
  return written === '' ? '' : `?${written}`
}
