import { at, type Points } from './points.ts'
import type { Projection, Size } from './view.ts'

/**
 * Discs are drawn as rectangles: a browser that draws without a graphics processor needs three times as long for a frame
 * of arcs. At this size they look round.
 */
interface Disc {
  /** The edge of the square around it, in pixels of the canvas. */
  diameter: number
  /** Its rows from above: how far a run of equal rows is indented, and where it begins and ends. */
  runs: { indent: number; top: number; height: number }[]
}

/** @param diameter In pixels of the canvas */
export function makeDisc(diameter: number): Disc {
  const radius = diameter / 2
  const runs: Disc['runs'] = []
  for (let row = 0; row < diameter; row++) {
    const halfWidth = Math.sqrt(radius ** 2 - (row + 0.5 - radius) ** 2)
    const indent = Math.round(radius - halfWidth)
    const last = runs.at(-1)
    if (last?.indent === indent) last.height++
    else runs.push({ indent, top: row, height: 1 })
  }
  return { diameter, runs }
}

/** Draws points in the current colour. @param ratio Pixels of the canvas in a CSS pixel */
export function drawDiscs(
  context: CanvasRenderingContext2D,
  disc: Disc,
  points: Points,
  list: readonly number[],
  projection: Projection,
  frame: Size & { left: number; top: number },
  ratio: number,
): void {
  const { diameter, runs } = disc
  const half = diameter / 2
  for (const index of list) {
    const x = Math.round(projection.placeX(at(points.x, index)) * ratio - half)
    const y = Math.round(projection.placeY(at(points.y, index)) * ratio - half)
    if (x < -diameter || y < -diameter || x > frame.width || y > frame.height) continue
    for (const { indent, top, height } of runs) {
      context.fillRect(frame.left + x + indent, frame.top + y + top, diameter - 2 * indent, height)
    }
  }
}
