// The data that the page passes to its script (browser/pages/events.tsx).

/** A channel to which the page can connect. */
export interface Connectable {
  name: string
  title: string
  /** Below `/ws/v1/`, with the parameter between braces. */
  address: string
  parameter?: 'planetId' | 'userId'
  /** The types of event on it. None if it is the channel of requests. */
  types: readonly string[]
  /** Whether its events can be chosen by the body that they are about. */
  hasBodies: boolean
}

/** The choices of the form. */
export interface ConnectFacts {
  channels: readonly Connectable[]
  /** The name of the channel that is chosen first. */
  firstChannel: string
  bodyTypes: readonly string[]
}
