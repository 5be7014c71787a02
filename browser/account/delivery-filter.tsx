import type { Delivery } from '../../src/schemas/delivery.ts'
import { TONES } from './delivery-words.ts'
import { hashOf } from './selection.ts'

/** Every event, in the order in which a user comes across them. The type makes sure that none is missing. */
const EVENTS: Readonly<Record<Delivery['event'], true>> = {
  planetCreated: true,
  planetCreationFailed: true,
  planetExploded: true,
  newPlanet: true,
  ping: true,
}

interface DeliveryFilterProps {
  filter: { status: string; event: string }
  onRefresh(): Promise<void>
}

/** Chooses which deliveries are listed. The choice is in the URL. */
export function DeliveryFilter({ filter, onRefresh }: DeliveryFilterProps) {
  const choose = (change: Readonly<Record<string, string>>) => {
    location.hash = hashOf('deliveries', '', { ...filter, ...change })
  }
  return (
    <div class="row filter">
      <Choice
        label="Status"
        value={filter.status}
        options={Object.keys(TONES)}
        onChoice={(status) => choose({ status })}
      />
      <Choice
        label="Event"
        value={filter.event}
        options={Object.keys(EVENTS)}
        onChoice={(event) => choose({ event })}
      />
      <button type="button" class="secondary" onClick={onRefresh}>
        Refresh
      </button>
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly string[]
  onChoice(option: string): void
}

function Choice({ label, value, options, onChoice }: ChoiceProps) {
  const id = `filter-${label}`
  const change = (event: Event) => {
    if (event.currentTarget instanceof HTMLSelectElement) onChoice(event.currentTarget.value)
  }
  return (
    <div>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={change}>
        <option value="">all</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  )
}
