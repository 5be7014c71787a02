import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { loadSession } from '../lib/session.ts'
import { socketUrlOf } from '../lib/socket-url.ts'
import { explainEnd } from './address.ts'
import { type Arrival, readArrival, SHOWN_MAX } from './arrivals.ts'

/** The minimum time between two drawings of the list. Frames that arrive in between are drawn together. */
const DRAWING_INTERVAL_MS = 50

/** How often the page tells the service that it reads (docs/live.md, Frames). */
const PING_INTERVAL_MS = 30_000

/** The close code if the person has disconnected (RFC 6455, section 7.4.1). */
const NORMAL_CLOSURE = 1000

/** A connection of the page, and what has arrived. */
export interface Socket {
  state: 'none' | 'opening' | 'open'
  /** How the last connection ended, in words; empty if none has ended, or if a new one was begun. */
  end: string
  /** Newest first. */
  arrivals: readonly Arrival[]
  /** The number of frames that have arrived, including those that are no longer shown. */
  count: number
  /** @param url With http or https */
  connect(url: string): void
  disconnect(): void
  send(text: string): void
  clear(): void
}

interface View extends Pick<Socket, 'state' | 'end' | 'arrivals' | 'count'> {}

/** Keeps at most one open socket, and closes it when the component is removed. */
export function useSocket(): Socket {
  const [view, setView] = useState<View>({ state: 'none', end: '', arrivals: [], count: 0 })
  const socket = useRef<WebSocket | undefined>(undefined)
  const arrive = useArrivals((arrivals) =>
    setView((view) => ({
      ...view,
      arrivals: [...arrivals.toReversed(), ...view.arrivals].slice(0, SHOWN_MAX),
      count: view.count + arrivals.length,
    })),
  )
  const connect = (url: string) => {
    socket.current?.close()
    const opened = new WebSocket(socketUrlOf(url), protocols())
    socket.current = opened
    let wasOpen = false
    let ownPings = 0
    let timer: ReturnType<typeof setInterval> | undefined
    setView((view) => ({ ...view, state: 'opening', end: '' }))
    opened.onopen = () => {
      wasOpen = true
      timer = setInterval(() => {
        ownPings++
        opened.send('ping')
      }, PING_INTERVAL_MS)
      if (socket.current === opened) setView((view) => ({ ...view, state: 'open' }))
    }
    opened.onmessage = ({ data }) => {
      // The page shows the answers only to what the person has sent.
      if (data === 'pong' && ownPings > 0) ownPings--
      else if (socket.current === opened) arrive(String(data))
    }
    opened.onclose = ({ code }) => {
      clearInterval(timer)
      if (socket.current === opened) setView((view) => ({ ...view, state: 'none', end: explainEnd(code, wasOpen) }))
    }
  }
  useLayoutEffect(() => () => socket.current?.close(), [])
  return {
    ...view,
    connect,
    disconnect: () => socket.current?.close(NORMAL_CLOSURE),
    send: (text) => socket.current?.send(text),
    clear: () => setView((view) => ({ ...view, arrivals: [], count: 0 })),
  }
}

/** The subprotocols to ask for. A browser cannot set headers, so a token is one of them. */
function protocols(): string[] {
  const session = loadSession()
  return ['galaxy.v1', ...(session ? [`bearer.${session.token}`] : [])]
}

/** Passes the frames on in batches, so that the list is not drawn for each frame. */
function useArrivals(show: (arrivals: readonly Arrival[]) => void): (text: string) => void {
  const waiting = useRef<Arrival[]>([])
  const number = useRef(0)
  const latest = useRef(show)
  latest.current = show
  return (text) => {
    number.current = (number.current ?? 0) + 1
    const arrival = readArrival(text, number.current, new Date())
    const isFirstOfBatch = waiting.current?.length === 0
    waiting.current?.push(arrival)
    // The timer that the first frame starts is for the whole batch.
    if (!isFirstOfBatch) return
    setTimeout(() => {
      const arrivals = waiting.current ?? []
      waiting.current = []
      latest.current?.(arrivals)
    }, DRAWING_INTERVAL_MS)
  }
}
