import { at, type Points } from './points.ts'
import type { Position, Projection, Size } from './view.ts'

// Finds the planet at the pointer, or in the direction of an arrow key. Searching all 5,402 points takes less than a
// millisecond, so there is no index.

export type Direction = 'left' | 'right' | 'up' | 'down'

/** Splits a distance into the part along a direction and the part across it. */
const TURNS: Readonly<Record<Direction, (dx: number, dy: number) => [along: number, across: number]>> = {
  right: (dx, dy) => [dx, dy],
  left: (dx, dy) => [-dx, dy],
  down: (dx, dy) => [dy, dx],
  up: (dx, dy) => [-dy, dx],
}

/** How much more a distance across counts than one along, so that an arrow key seems to follow a straight line. */
const ACROSS_WEIGHT = 2

/** The shown point nearest to a place, if one is within a distance in CSS pixels. */
export function findNearest(
  points: Points,
  isShown: Uint8Array,
  projection: Projection,
  place: Position,
  within: number,
): number | undefined {
  const { x, y } = projection.readValues(place)
  let best: number | undefined
  let bestSquare = within ** 2
  for (const index of points.order) {
    if (isShown[index] !== 1) continue
    const square =
      ((at(points.x, index) - x) * projection.scaleX) ** 2 + ((at(points.y, index) - y) * projection.scaleY) ** 2
    if (square > bestSquare) continue
    bestSquare = square
    best = index
  }
  return best
}

/** The next visible point in a direction; undefined if there is none. */
export function findNeighbour(
  points: Points,
  isShown: Uint8Array,
  projection: Projection,
  size: Size,
  from: number,
  direction: Direction,
): number | undefined {
  const turn = TURNS[direction]
  const isForward = direction === 'right' || direction === 'down'
  let best: number | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const index of points.order) {
    if (isShown[index] !== 1 || index === from || !isVisible(points, index, projection, size)) continue
    const dx = (at(points.x, index) - at(points.x, from)) * projection.scaleX
    const dy = (at(points.y, from) - at(points.y, index)) * projection.scaleY
    const isLaterIndex = index > from
    const distance = measure(turn(dx, dy), isForward === isLaterIndex)
    if (distance >= bestDistance) continue
    bestDistance = distance
    best = index
  }
  return best
}

/**
 * How far a point is in the direction; infinite if it is not in this direction. Points at the same place are ordered by
 * index: right and down lead to later indexes, left and up to earlier ones.
 *
 * @param isOrderedNext Whether the point is in the direction by its index
 */
function measure([along, across]: [number, number], isOrderedNext: boolean): number {
  if (along === 0 && across === 0) return isOrderedNext ? 0 : Number.POSITIVE_INFINITY
  return along <= 0 ? Number.POSITIVE_INFINITY : along + ACROSS_WEIGHT * Math.abs(across)
}

function isVisible(points: Points, index: number, projection: Projection, { width, height }: Size): boolean {
  const x = projection.placeX(at(points.x, index))
  const y = projection.placeY(at(points.y, index))
  return x >= 0 && x <= width && y >= 0 && y <= height
}
