import { FIGURES, type FigureName } from '../../src/site/explorer/figures.ts'
import { type CataloguePlanet, KIND_NAMES } from '../../src/site/explorer/planets.ts'
import type { View } from './view.ts'

/** The planets as points of a pair of axes, in columns. A planet that lacks a figure has NaN there. */
export interface Points {
  /** On a logarithmic axis, logarithms are taken once for the pair of axes, not for each frame. */
  x: Float64Array
  y: Float64Array
  /** An index into KIND_NAMES. */
  kind: Uint8Array
}

/** Free room beside the outermost points, as a part of the distance between them. */
const MARGIN = 0.04

export function makePoints(planets: readonly CataloguePlanet[], x: FigureName, y: FigureName): Points {
  return {
    x: scaleFigures(planets, x),
    y: scaleFigures(planets, y),
    kind: Uint8Array.from(planets, ({ kind }) => KIND_NAMES.indexOf(kind)),
  }
}

function scaleFigures(planets: readonly CataloguePlanet[], name: FigureName): Float64Array {
  const scale = FIGURES[name].isLogarithmic ? scaleLogarithmically : (value: number) => value
  return Float64Array.from(planets, ({ figures }) => scale(figures[name] ?? Number.NaN))
}

function scaleLogarithmically(value: number): number {
  return value > 0 ? Math.log10(value) : Number.NaN
}

/** An element of a column. The index is always one of the column: columns have equal lengths. */
export function at(column: ArrayLike<number>, index: number): number {
  return column[index] ?? Number.NaN
}

export function hasPlace({ x, y }: Points, index: number): boolean {
  return !Number.isNaN(at(x, index) + at(y, index))
}

/** The points that are shown, in one list for each kind, so that they are drawn in batches by colour. */
export function listByKind(points: Points, isShown: Uint8Array): number[][] {
  const lists: number[][] = KIND_NAMES.map(() => [])
  isShown.forEach((shown, index) => {
    if (shown === 1 && hasPlace(points, index)) lists[at(points.kind, index)]?.push(index)
  })
  return lists
}

/** The view in which all points are visible. */
export function viewOfAll(points: Points): View {
  const [x0, x1] = rangeOf(points.x, points, 1)
  const [y0, y1] = rangeOf(points.y, points, 1)
  return { x0, x1, y0, y1 }
}

function rangeOf(column: Float64Array, points: Points, emptyRange: number): [number, number] {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  column.forEach((value, index) => {
    if (!hasPlace(points, index)) return
    if (value < least) least = value
    if (value > most) most = value
  })
  if (least > most) return [0, emptyRange]
  const margin = (most - least) * MARGIN || emptyRange / 2
  return [least - margin, most + margin]
}
