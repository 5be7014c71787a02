import { formatNumber } from './figures.ts'
import { DRAWING, type OrbitDrawing } from './orbits.ts'

const { width, planetX, arcsWidth, labelX } = DRAWING

/** The orbits of satellites to scale, as an image. The table of satellites has the same content for screen readers. */
export function OrbitImage({ drawing, planetName }: { drawing: OrbitDrawing; planetName: string }) {
  const { height, planet, orbits, bar } = drawing
  return (
    <svg class="orbits" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`The orbits around ${planetName}`}>
      <svg width={arcsWidth} height={height} aria-hidden="true">
        {orbits.map(({ radius }) => (
          <circle class="orbit" cx={planetX} cy={planet.y} r={radius} />
        ))}
        <circle class="orbits-planet" cx={planetX} cy={planet.y} r={planet.radius} />
      </svg>
      {orbits.map((orbit) => (
        <Moon orbit={orbit} y={planet.y + orbit.radius} />
      ))}
      <Bar bar={bar} y={height - 12} />
    </svg>
  )
}

/** A dot on the orbit, and a line from it to its name. */
function Moon({ orbit: { label }, y }: { orbit: OrbitDrawing['orbits'][number]; y: number }) {
  const line = label && `${planetX},${y} ${arcsWidth},${y} ${labelX - 14},${label.y} ${labelX - 4},${label.y}`
  return (
    <>
      {label && <polyline class="orbits-leader" points={line} />}
      <circle class="orbits-moon" cx={planetX} cy={y} r="3.5" />
      {label && (
        <text x={labelX} y={label.y + 4}>
          {label.name}
        </text>
      )}
    </>
  )
}

function Bar({ bar: { length, km }, y }: { bar: OrbitDrawing['bar']; y: number }) {
  const start = 8
  return (
    <>
      <path class="orbits-bar" d={`M${start} ${y - 5}v5h${length}v-5`} />
      <text x={start + length + 8} y={y}>
        {formatNumber(km)} km
      </text>
    </>
  )
}
