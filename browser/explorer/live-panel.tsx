import { writeCount } from '../../src/site/explorer/axis-figures.ts'
import { type CataloguePlanet, KINDS } from '../../src/site/explorer/planets.ts'
import { linkToPlanet } from '../lib/base.ts'
import { NEW_MAX } from './happenings.ts'
import { describeNewCount, type LivePlanets } from './live-planets.ts'
import type { StreamState } from './planet-stream.ts'
import { useStore } from './store.ts'

const STATES: Readonly<Record<StreamState, { words: string; tone: string }>> = {
  off: { words: 'Off', tone: '' },
  connecting: { words: 'Connecting …', tone: 'warn' },
  open: { words: 'Live', tone: 'good' },
  lost: { words: 'Connection lost, trying again …', tone: 'warn' },
}

/** The switch for new planets, and the newest of them. */
export function LivePanel({ live }: { live: LivePlanets }) {
  const { state, isOn, count, newest, hasGap } = useStore(live.view)
  const { words, tone } = STATES[state]
  return (
    <>
      <p class="row live-bar">
        <label class="box">
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ target }) => target instanceof HTMLInputElement && live.switch(target.checked)}
          />
          Show planets as they are created
        </label>
        <span class={`badge ${tone}`} role="status">
          {words}
        </span>
      </p>
      <p>
        {describeNewCount(count)}
        {count > NEW_MAX && ` The picture and the table have the newest ${writeCount(NEW_MAX)}.`}
      </p>
      <ul class="live-list">
        {newest.map((planet) => (
          <Newcomer key={planet.id} planet={planet} />
        ))}
      </ul>
      {hasGap && (
        <p class="notice">
          The service can no longer tell what this page has missed. Some of these planets may be gone, and others may be
          missing. Reload the page to see the current planets.
        </p>
      )}
      <Announcement live={live} />
    </>
  )
}

function Newcomer({ planet }: { planet: CataloguePlanet }) {
  return (
    <li>
      <span class={`swatch swatch-${planet.kind}`} />
      <a href={linkToPlanet(planet)} referrerpolicy="same-origin">
        {planet.name}
      </a>
      <small>{KINDS[planet.kind]}</small>
    </li>
  )
}

function Announcement({ live }: { live: LivePlanets }) {
  return (
    <p class="visually-hidden" aria-live="polite">
      {useStore(live.announcement)}
    </p>
  )
}
