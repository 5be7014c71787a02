import { DRAWING, EDGE, findVisibleArc, HALF_WIDTH, type OrbitDrawing, ROWS, rowY } from './orbits.ts'

// All lengths are in units of the drawing.

const { width, planetX, bendX } = DRAWING
const MOON_RADIUS = 3.5
/** The place of the scale bar, and the height of its two ends. */
const BAR = { left: EDGE + 4, aboveBottom: 17, endHeight: 5 }
/** The length of the horizontal part of a line to a name. */
const NAME_LINE = 12

/**
 * The orbits of satellites to scale, with the names of the satellites beside the orbits. Screen readers skip the
 * drawing, because the table of satellites has the same content.
 */
export function Orbits({ drawing: { height, planet, orbits, bar } }: { drawing: OrbitDrawing }) {
  return (
    <div class="orbits" aria-hidden="true">
      <svg viewBox={`0 0 ${width} ${Math.ceil(height)}`} aria-hidden="true">
        {orbits.map(({ radius }) => (
          <path class="orbit" d={writeArc(radius, planet.y)} />
        ))}
        <path class="orbits-planet" d={writeDisc(planet.radius, planet.y)} />
        {orbits.map(({ radius, row }) => (
          <Moon y={planet.y + radius} nameY={row === undefined ? undefined : rowY(row, height)} />
        ))}
        <path class="orbits-bar" d={writeBar(bar.length, height)} />
      </svg>
      <div class="orbit-names">
        {Array.from({ length: ROWS }, (_, row) => (
          <span>{orbits.find((orbit) => orbit.row === row)?.name}</span>
        ))}
      </div>
    </div>
  )
}

function writeBar(length: number, height: number): string {
  return `M${BAR.left} ${round(height - BAR.aboveBottom)}v${BAR.endHeight}h${round(length)}v${-BAR.endHeight}`
}

/**
 * The part of a circle around the planet that is inside the drawing, from the left to the right. A path of the whole
 * circle would look the same, but its hidden parts would still cover other parts of the page.
 */
function writeArc(radius: number, y: number): string {
  const arc = findVisibleArc(radius, y)
  const r = round(radius)
  if (!arc) return `M${planetX - r} ${round(y)}a${r} ${r} 0 0 0 ${2 * r} 0a${r} ${r} 0 0 0 ${-2 * r} 0`
  const [left, right] = [round(planetX - arc.halfWidth), round(planetX + arc.halfWidth)]
  return `M${left} ${round(arc.y)}A${r} ${r} 0 ${Number(arc.isLarge)} 0 ${right} ${round(arc.y)}`
}

/** The planet. If it is wider than the drawing, the area from its visible arc to the top of the drawing is filled. */
function writeDisc(radius: number, y: number): string {
  const top = radius > HALF_WIDTH ? `V${EDGE}H${planetX - HALF_WIDTH}` : ''
  return `${writeArc(radius, y)}${top}Z`
}

/** Rounds to one digit after the point, which is exact enough for a drawing. */
const round = (length: number) => Math.round(length * 10) / 10

/** A dot on the orbit, and a line from it to its name. */
function Moon({ y, nameY }: { y: number; nameY: number | undefined }) {
  return (
    <>
      {nameY !== undefined && (
        <polyline
          class="orbits-leader"
          points={[planetX, y, bendX, y, width - NAME_LINE, nameY, width, nameY].map(round).join(' ')}
        />
      )}
      <circle class="orbits-moon" cx={planetX} cy={round(y)} r={MOON_RADIUS} />
    </>
  )
}
