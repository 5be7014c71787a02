import type { Child } from 'hono/jsx'
import type { Planet } from '../../schemas/planet.ts'
import { Digits } from './digits.tsx'
import { type Figure, figuresOf, formatNumber } from './figure-rows.ts'
import type { ShownPlanet } from './shown-planet.ts'

/** The figures of a planet, its atmosphere, and the other facts that its creator or the service has set. */
export function Facts({ shown: { planet, isShipped, picture } }: { shown: ShownPlanet }) {
  return (
    <table class="figures">
      <tbody>
        {figuresOf(planet, isShipped).map((figure) => (
          <FigureRow figure={figure} />
        ))}
        {planet.atmosphere && (
          <Fact label="Atmosphere">
            <Atmosphere items={planet.atmosphere} />
          </Fact>
        )}
        <Discovery planet={planet} isShipped={isShipped} />
        {picture === undefined && <Image image={planet.image} />}
        <CallbackUrl label="Callback after success" url={planet.successCallbackUrl} />
        <CallbackUrl label="Callback after failure" url={planet.failureCallbackUrl} />
        <Creator creator={planet.creator} />
        <Fact label="Last change">
          <time datetime={planet.lastUpdated}>{new Date(planet.lastUpdated).toUTCString()}</time>
        </Fact>
      </tbody>
    </table>
  )
}

function Fact({ label, children }: { label: Child; children?: Child }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{children}</td>
    </tr>
  )
}

function FigureRow({ figure: { label, exact, rounded, note } }: { figure: Figure }) {
  return (
    <Fact label={<bdi>{label}</bdi>}>
      <Digits rounded={rounded} exact={exact} />
      {note && <small class="note">{note}</small>}
    </Fact>
  )
}

/** The atmosphere. Members other than the compound and its percentage are free texts of the creator. */
function Atmosphere({ items }: { items: NonNullable<Planet['atmosphere']> }) {
  if (items.length === 0) return <>None</>
  return (
    <ul class="plain">
      {items.map(({ compound, percentage, ...others }) => (
        <li>
          <bdi>{compound ?? 'Unnamed'}</bdi>
          {percentage !== undefined && `: ${formatNumber(percentage)} %`}
          {Object.entries(others).map(([name, text]) => (
            <small class="note">
              <bdi>{name}</bdi>: <bdi>{String(text)}</bdi>
            </small>
          ))}
        </li>
      ))}
    </ul>
  )
}

/** The time of discovery. The catalogue contains only the year, so the other parts of its date-time mean nothing. */
function Discovery({ planet: { discoveredAt }, isShipped }: { planet: Planet; isShipped: boolean }) {
  if (discoveredAt === undefined) return null
  if (!isShipped) return <Fact label="Discovered">{discoveredAt}</Fact>
  return (
    <Fact label="Discovered">
      {discoveredAt.slice(0, 4)}
      <small class="note">The catalogue has only the year.</small>
    </Fact>
  )
}

/**
 * The URL of an image at another host. The page does not load the image, because that host would learn who reads the
 * page.
 */
function Image({ image }: { image: Planet['image'] }) {
  if (!image) return null
  return (
    <Fact label="Image">
      <bdi>{image}</bdi>
      <small class="note">Not shown, because it was not uploaded to Galaxy.</small>
    </Fact>
  )
}

function CallbackUrl({ label, url }: { label: string; url: string | undefined }) {
  return url === undefined ? null : <Fact label={label}>{url}</Fact>
}

function Creator({ creator }: Pick<Planet, 'creator'>) {
  if (!creator) return null
  return (
    <Fact label="Creator">
      <bdi>{creator.name}</bdi>
      <small class="note">User {creator.id}</small>
    </Fact>
  )
}
