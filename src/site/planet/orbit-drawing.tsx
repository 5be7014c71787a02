import { DRAWING, EDGE, findVisibleArc, HALF_WIDTH, type OrbitDrawing, ROWS, rowY } from './orbits.ts'

const { width, planetX, bendX } = DRAWING

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
        <path class="orbits-bar" d={`M${EDGE + 4} ${round(height - 17)}v5h${round(bar.length)}v-5`} />
      </svg>
      <div class="orbit-names">
        {Array.from({ length: ROWS }, (_, row) => (
          <span>{orbits.find((orbit) => orbit.row === row)?.name}</span>
        ))}
      </div>
    </div>
  )
}

/**
 * The part of a circle around the planet that is inside the drawing, from the left to the right. The path itself ends
 * at the edges. If the image cut the whole circle off, the hidden parts would still lie over other parts of the page.
 */
function writeArc(radius: number, y: number): string {
  const arc = findVisibleArc(radius, y)
  const r = round(radius)
  if (!arc) return `M${planetX - r} ${round(y)}a${r} ${r} 0 0 0 ${2 * r} 0a${r} ${r} 0 0 0 ${-2 * r} 0`
  const [left, right] = [round(planetX - arc.width), round(planetX + arc.width)]
  return `M${left} ${round(arc.y)}A${r} ${r} 0 ${Number(arc.isLarge)} 0 ${right} ${round(arc.y)}`
}

/** The planet. If it is wider than the drawing, it is filled from its edge up to the top. */
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
          points={[planetX, y, bendX, y, width - 12, nameY, width, nameY].map(round).join(' ')}
        />
      )}
      <circle class="orbits-moon" cx={planetX} cy={round(y)} r="3.5" />
    </>
  )
}
