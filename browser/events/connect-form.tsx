import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { Connectable, ConnectFacts } from '../../documents/events-page/connectable.ts'
import type { Choice } from './address.ts'

interface ConnectFormProps {
  facts: ConnectFacts
  isConnected: boolean
  onChoice(choice: Choice): void
  onConnect(): void
  onDisconnect(): void
}

/** The form that chooses a channel, and which of its events to receive. */
export function ConnectForm({ facts, isConnected, onChoice, onConnect, onDisconnect }: ConnectFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [name, setName] = useState(facts.firstChannel)
  const channel = facts.channels.find((one) => one.name === name)
  const change = () => {
    if (!form.current) return
    const choice = readChoice(new FormData(form.current))
    setName(choice.channel)
    onChoice(choice)
  }
  // Another channel has other fields, and its fields about events are empty. So the form has to be read again.
  useLayoutEffect(change, [name])
  const submit = (event: Event) => {
    event.preventDefault()
    onConnect()
  }
  if (!channel) return null
  return (
    <form ref={form} class="panel" onSubmit={submit} onInput={change}>
      <label for="event-channel">Channel</label>
      <select id="event-channel" name="channel" value={name}>
        {facts.channels.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      {channel.parameter && <IdField key={channel.parameter} parameter={channel.parameter} />}
      {channel.types.length > 0 && <EventFields key={channel.name} channel={channel} bodyTypes={facts.bodyTypes} />}
      <button type="submit">{isConnected ? 'Connect again' : 'Connect'}</button>
      {isConnected && (
        <button type="button" class="secondary" onClick={onDisconnect}>
          Disconnect
        </button>
      )}
    </form>
  )
}

/** The values of the form before anybody has changed them. */
export function firstChoice({ firstChannel }: ConnectFacts): Choice {
  return { ...readChoice(new FormData()), channel: firstChannel }
}

const FIRST_ID = '1'

function readChoice(data: FormData): Choice {
  const read = (name: string) => String(data.get(name) ?? '')
  return {
    channel: read('channel'),
    id: read('id') || FIRST_ID,
    types: data.getAll('type').map(String),
    includesHistory: data.has('history'),
    lastEventId: read('lastEventId'),
    bodyType: read('bodyType'),
    minHabitability: read('minHabitability'),
  }
}

function IdField({ parameter }: { parameter: 'planetId' | 'userId' }) {
  return (
    <>
      <label for="event-id">{parameter === 'planetId' ? 'ID of the planet' : 'Your user ID'}</label>
      <input id="event-id" type="text" name="id" required inputmode="numeric" value={FIRST_ID} autocomplete="off" />
    </>
  )
}

function EventFields({ channel, bodyTypes }: { channel: Connectable; bodyTypes: readonly string[] }) {
  return (
    <>
      <fieldset>
        <legend>Only these events (none means all)</legend>
        {channel.types.map((type) => (
          <label key={type} class="box">
            <input type="checkbox" name="type" value={type} />
            <code>{type}</code>
          </label>
        ))}
      </fieldset>
      {channel.hasBodyFilter && <BodyFields bodyTypes={bodyTypes} />}
      <label class="box">
        <input type="checkbox" name="history" value="true" />
        Begin with the newest events in the log
      </label>
      <label for="event-last">Begin after this event (optional)</label>
      <input
        type="text"
        id="event-last"
        name="lastEventId"
        autocomplete="off"
        placeholder="The eventId of the last event that you have"
      />
    </>
  )
}

function BodyFields({ bodyTypes }: { bodyTypes: readonly string[] }) {
  return (
    <>
      <label for="event-body">Bodies</label>
      <select id="event-body" name="bodyType">
        <option value="">all</option>
        {bodyTypes.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </select>
      <label for="event-habitability">Minimum habitability index (optional)</label>
      <input id="event-habitability" name="minHabitability" type="number" min="0" max="1" step="0.01" />
    </>
  )
}
