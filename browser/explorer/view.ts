/** The part of the plane that is visible. On a logarithmic axis, the values are decimal logarithms. */
export interface View {
  x0: number
  x1: number
  y0: number
  y1: number
}

/** A rectangle in CSS pixels, at the origin. */
export interface Size {
  width: number
  height: number
}

/** A place or a movement, in CSS pixels. */
export interface Position {
  x: number
  y: number
}

/** The limits of the magnification. It is 1 if the view is as wide as the view of everything. */
const ZOOM_MIN = 0.5
const ZOOM_MAX = 2000

// The coordinates of a view in a URL are rounded, so such a view may exceed the limits of gestures by this much.
const ZOOM_TOLERANCE_FACTOR = 2
/** How far the middle may be outside of the view of everything, as a fraction of the width or height of that view. */
const MIDDLE_TOLERANCE = 0.001

/** Converts the values of a view to places in a rectangle, and back. */
export class Projection {
  readonly scaleX: number
  readonly scaleY: number
  readonly #view: View

  constructor(view: View, { width, height }: Size) {
    this.#view = view
    this.scaleX = width / (view.x1 - view.x0)
    this.scaleY = height / (view.y1 - view.y0)
  }

  placeX(x: number): number {
    return (x - this.#view.x0) * this.scaleX
  }

  placeY(y: number): number {
    return (this.#view.y1 - y) * this.scaleY
  }

  readValues({ x, y }: Position): { x: number; y: number } {
    return { x: this.#view.x0 + x / this.scaleX, y: this.#view.y1 - y / this.scaleY }
  }
}

/**
 * Zooms about a place, within the limits of the zoom.
 *
 * @param home The view of everything
 * @param factor Above 1 to see a smaller part
 */
export function zoomView(view: View, home: View, size: Size, factor: number, at: Position): View {
  const magnification = (home.x1 - home.x0) / (view.x1 - view.x0)
  const allowed = Math.min(Math.max(magnification * factor, ZOOM_MIN), ZOOM_MAX) / magnification
  const { x, y } = new Projection(view, size).readValues(at)
  const zoomed = {
    x0: x + (view.x0 - x) / allowed,
    x1: x + (view.x1 - x) / allowed,
    y0: y + (view.y0 - y) / allowed,
    y1: y + (view.y1 - y) / allowed,
  }
  // Brings the middle back if the zoom has moved it out of the view of everything.
  return panView(zoomed, home, size, { x: 0, y: 0 })
}

/** Moves what is visible by a distance in CSS pixels. The middle stays inside of the view of everything. */
export function panView(view: View, home: View, size: Size, move: Position): View {
  const { scaleX, scaleY } = new Projection(view, size)
  const dx = clampMove(view.x0, view.x1, -move.x / scaleX, home.x0, home.x1)
  const dy = clampMove(view.y0, view.y1, move.y / scaleY, home.y0, home.y1)
  return { x0: view.x0 + dx, x1: view.x1 + dx, y0: view.y0 + dy, y1: view.y1 + dy }
}

/** The movement of a range, limited so that the middle of the range stays between `least` and `most`. */
function clampMove(from: number, to: number, by: number, least: number, most: number): number {
  const middle = (from + to) / 2
  return Math.min(Math.max(middle + by, least), most) - middle
}

export function isSameView(a: View, b: View): boolean {
  return a.x0 === b.x0 && a.x1 === b.x1 && a.y0 === b.y0 && a.y1 === b.y1
}

/** Whether gestures can lead to a view. */
export function isReachable(view: View, home: View): boolean {
  const magnifications = [(home.x1 - home.x0) / (view.x1 - view.x0), (home.y1 - home.y0) / (view.y1 - view.y0)]
  const isMiddleInside =
    isInside((view.x0 + view.x1) / 2, home.x0, home.x1) && isInside((view.y0 + view.y1) / 2, home.y0, home.y1)
  const [least, most] = [ZOOM_MIN / ZOOM_TOLERANCE_FACTOR, ZOOM_MAX * ZOOM_TOLERANCE_FACTOR]
  return isMiddleInside && magnifications.every((each) => isBetween(each, least, most))
}

function isInside(value: number, least: number, most: number): boolean {
  const tolerance = (most - least) * MIDDLE_TOLERANCE
  return isBetween(value, least - tolerance, most + tolerance)
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}
