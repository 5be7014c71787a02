import type { Arrival } from './state.ts'

/** The ways in which an event has arrived, with its id in each. */
export function Arrivals({ arrivals }: { arrivals: readonly Arrival[] }) {
  const areEqual = new Set(arrivals.map(({ id }) => id)).size === 1
  return (
    <div>
      <h3>The event</h3>
      <table class="members arrivals">
        <thead>
          <tr>
            <th scope="col">How it arrived</th>
            <th scope="col">Its id</th>
          </tr>
        </thead>
        <tbody>
          {arrivals.map(({ way, place, id }) => (
            <tr key={way}>
              <th scope="row">{way}</th>
              <td>
                {id}
                <small>{place}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class={`notice ${areEqual ? 'good' : 'bad'}`}>
        {areEqual ? 'The four ids are equal: it is one event.' : 'The ids differ. That should never happen.'}
      </p>
    </div>
  )
}
