import { at, type Points } from './points.ts'
import type { Projection, Size } from './view.ts'

/**
 * A disc as rectangles from its centre: half their widths and half their heights, in pixels of the canvas. A browser that
 * draws without a graphics processor needs three times as long for a frame of arcs. At this size, they look round.
 */
export type Disc = readonly (readonly [halfWidth: number, halfHeight: number])[]

/** Above it, a disc of two rectangles would look like a cross. */
const COARSE_MAX_PX = 6

/** @param diameter In pixels of the canvas */
export function makeDisc(diameter: number): Disc {
  const radius = diameter / 2
  const inner = Math.max(0.5, Math.round(diameter * 0.3 * 2) / 2)
  const cross: Disc = [
    [radius, inner],
    [inner, radius],
  ]
  const middle = Math.round(diameter * 0.42 * 2) / 2
  return diameter <= COARSE_MAX_PX ? cross : [...cross, [middle, middle]]
}

/**
 * Draws the shown points, in batches by colour.
 *
 * @param ratio Pixels of the canvas in a CSS pixel
 */
export function drawDiscs(
  context: CanvasRenderingContext2D,
  { order, x, y, kind }: Points,
  isShown: Uint8Array,
  colors: readonly string[],
  disc: Disc,
  projection: Projection,
  frame: Frame,
  ratio: number,
): void {
  let current = -1
  for (const index of order) {
    if (isShown[index] !== 1) continue
    const left = Math.round(projection.placeX(at(x, index)) * ratio)
    const top = Math.round(projection.placeY(at(y, index)) * ratio)
    if (left < 0 || top < 0 || left > frame.width || top > frame.height) continue
    if (kind[index] !== current) {
      current = at(kind, index)
      context.fillStyle = colors[current] ?? ''
    }
    for (const [halfWidth, halfHeight] of disc) {
      context.fillRect(frame.left + left - halfWidth, frame.top + top - halfHeight, 2 * halfWidth, 2 * halfHeight)
    }
  }
}

/** The part of the canvas with the points. */
type Frame = Size & { left: number; top: number }
