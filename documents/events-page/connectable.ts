// The data that the page passes to its script (browser/pages/events.tsx).

export interface Connectable {
  name: string
  title: string
  /** The path below `/ws/v1/`, with the parameter between braces. */
  address: string
  parameter?: 'planetId' | 'userId'
  /** The types of events on the channel; empty for the channel of requests. */
  types: readonly string[]
  /** Whether a client can limit the events by type and habitability of the celestial body. */
  hasBodyFilter: boolean
}

/** The choices in the form with which people connect to a channel. */
export interface ConnectFacts {
  channels: readonly Connectable[]
  /** The name of the channel that is chosen at first. */
  firstChannel: string
  bodyTypes: readonly string[]
}
