import { useState } from 'hono/jsx/dom'
import type { ConnectFacts } from '../../documents/events-page/connectable.ts'
import { readForm } from '../lib/action.tsx'
import { linkTo, urlOf } from '../lib/base.ts'
import { Copyable } from '../lib/copyable.tsx'
import { loadSession } from '../lib/session.ts'
import { socketUrlOf } from '../lib/socket-url.ts'
import { type Choice, pathOf } from './address.ts'
import { ArrivalList } from './arrival-list.tsx'
import { ConnectForm, firstChoice } from './connect-form.tsx'
import { type Socket, useSocket } from './use-socket.ts'

export function EventsApp({ facts }: { facts: ConnectFacts }) {
  const [choice, setChoice] = useState<Choice>(() => firstChoice(facts))
  /** Whether the open socket is on the channel of requests. The form may already show another channel. */
  const [isRequestChannel, setRequestChannel] = useState(false)
  const socket = useSocket()
  const channel = facts.channels.find(({ name }) => name === choice.channel)
  if (!channel) return null
  const url = urlOf(pathOf(channel, choice))
  const connect = () => {
    // Only the channel of requests has no types of events.
    setRequestChannel(channel.types.length === 0)
    socket.connect(url)
  }
  return (
    <div class="event-app">
      <div>
        <ConnectForm
          facts={facts}
          isConnected={socket.state !== 'none'}
          onChoice={setChoice}
          onConnect={connect}
          onDisconnect={socket.disconnect}
        />
        <Copyable text={socketUrlOf(url)} what="the address of the socket" />
        <Identity />
      </div>
      <div>
        <State socket={socket} />
        {isRequestChannel && socket.state === 'open' && <Ask send={socket.send} />}
        <ArrivalList arrivals={socket.arrivals} count={socket.count} />
        {socket.count > 0 && (
          <button type="button" class="secondary small" onClick={socket.clear}>
            Clear the list
          </button>
        )}
      </div>
    </div>
  )
}

const STATES: Readonly<Record<Socket['state'], { words: string; tone: string }>> = {
  none: { words: 'Not connected', tone: '' },
  opening: { words: 'Connecting …', tone: 'warn' },
  open: { words: 'Connected', tone: 'good' },
}

function State({ socket: { state, end } }: { socket: Socket }) {
  const { words, tone } = STATES[state]
  return (
    <div role="status">
      <p>
        <span class={`badge ${tone}`}>{words}</span>
      </p>
      {end !== '' && <p class="notice">{end}</p>}
    </div>
  )
}

function Identity() {
  const session = loadSession()
  if (session)
    return <p class="hint">You are signed in as {session.email}, so you can also connect to your own channel.</p>
  return (
    <p class="hint">
      You are not signed in. To connect to your own channel, <a href={linkTo('/account')}>sign in</a>.
    </p>
  )
}

/** The form that requests planets on the channel of requests. */
function Ask({ send }: { send(text: string): void }) {
  const [number, setNumber] = useState(1)
  const submit = (event: Event) => {
    const { planetId = '' } = readForm(event)
    send(JSON.stringify({ requestId: `request-${number}`, planetId: Number(planetId) }))
    setNumber(number + 1)
  }
  return (
    <form class="panel" onSubmit={submit}>
      <label for="event-planet">Ask for the planet</label>
      <input id="event-planet" name="planetId" type="number" min="1" required value="1" />
      <button type="submit">Ask</button>
    </form>
  )
}
