import { FIGURES, type FigureName } from '../../src/site/explorer/axis-figures.ts'
import { type CataloguePlanet, KIND_NAMES } from '../../src/site/explorer/planets.ts'
import type { View } from './view.ts'

/** The planets as points of a pair of axes, in columns. A planet that lacks a figure has NaN there. */
export interface Points {
  /** The values on the axis: decimal logarithms if the axis is logarithmic, so that no frame has to compute them. */
  x: Float64Array
  y: Float64Array
  /** An index into KIND_NAMES. */
  kind: Uint8Array
  /** The points that have a place, by kind, so that they are drawn in batches by colour. */
  order: Uint32Array
}

/** Free space beside the outermost points, as a fraction of the distance between them. */
const MARGIN = 0.04
/** The range of an axis if all points have the same value, or if there are none. */
const EMPTY_RANGE = 1

export function makePoints(planets: readonly CataloguePlanet[], x: FigureName, y: FigureName): Points {
  const columns = {
    x: scaleFigures(planets, x),
    y: scaleFigures(planets, y),
    kind: Uint8Array.from(planets, ({ kind }) => KIND_NAMES.indexOf(kind)),
  }
  const placed = Uint32Array.from(planets.keys()).filter((index) => hasPosition(columns, index))
  return { ...columns, order: placed.sort((a, b) => at(columns.kind, a) - at(columns.kind, b)) }
}

function scaleFigures(planets: readonly CataloguePlanet[], name: FigureName): Float64Array {
  const scale = FIGURES[name].isLogarithmic ? scaleLogarithmically : (value: number) => value
  return Float64Array.from(planets, ({ figures }) => scale(figures[name] ?? Number.NaN))
}

function scaleLogarithmically(value: number): number {
  return value > 0 ? Math.log10(value) : Number.NaN
}

/** An element of a column. All columns have the same length, so an index of one is an index of all. */
export function at(column: ArrayLike<number>, index: number): number {
  return column[index] ?? Number.NaN
}

export function hasPosition({ x, y }: Pick<Points, 'x' | 'y'>, index: number): boolean {
  return !Number.isNaN(at(x, index) + at(y, index))
}

/** The planets of a pair of axes, and the initial view. */
export interface PlacedPlanets {
  points: Points
  /** The view of everything. */
  home: View
  /** The planets whose figures are beyond the view of everything. They have no place in the picture. */
  beyond: readonly number[]
}

/**
 * Places planets in the picture. The planets of the catalogue alone decide the range of the axes: a planet that a user
 * creates may have any figures, and must not shrink all others to a dot.
 */
export function placePlanets(planets: readonly CataloguePlanet[], x: FigureName, y: FigureName): PlacedPlanets {
  const points = makePoints(planets, x, y)
  const shipped = points.order.filter((index) => !planets[index]?.isNew)
  const home = viewOfAll(shipped.length > 0 ? { ...points, order: shipped } : points)
  const isInside = (index: number) => isInView(home, at(points.x, index), at(points.y, index))
  const beyond = [...points.order.filter((index) => !isInside(index))]
  // So `hasPosition` is false for them.
  for (const index of beyond) points.x[index] = Number.NaN
  return { points: { ...points, order: points.order.filter(isInside) }, home, beyond }
}

function isInView({ x0, x1, y0, y1 }: View, x: number, y: number): boolean {
  return x >= x0 && x <= x1 && y >= y0 && y <= y1
}

export function countPlaced({ order }: Points, isShown: Uint8Array): number {
  let count = 0
  for (const index of order) count += at(isShown, index)
  return count
}

export function viewOfAll(points: Points): View {
  const [x0, x1] = rangeOf(points.x, points.order)
  const [y0, y1] = rangeOf(points.y, points.order)
  return { x0, x1, y0, y1 }
}

function rangeOf(column: Float64Array, order: Uint32Array): [number, number] {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const index of order) {
    least = Math.min(least, at(column, index))
    most = Math.max(most, at(column, index))
  }
  if (least > most) return [0, EMPTY_RANGE]
  const margin = (most - least) * MARGIN || EMPTY_RANGE / 2
  return [least - margin, most + margin]
}
