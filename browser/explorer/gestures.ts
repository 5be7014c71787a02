import type { Position } from './view.ts'

/** All positions are CSS pixels from the top left corner of the plot area. */
export interface GestureListener {
  /** The plot area. */
  readonly over: HTMLElement
  pan(move: Position): void
  /** @param factor Above 1 to see a smaller part */
  zoom(factor: number, place: Position): void
  /** The pointer rests or moves without a button; undefined if it left. */
  hover(place: Position | undefined): void
  /** A press without a move. */
  tap(place: Position, isTouch: boolean): void
  home(): void
}

/** The natural logarithm of the zoom for a pixel of the wheel. */
const ZOOM_PER_WHEEL_PX = 0.002
/** A pinch on a touchpad arrives as wheel events with `ctrlKey` and small steps. */
const PINCH_SPEED = 5
/** The pixels of a unit of the wheel, by `deltaMode`: a pixel, a line, a page. */
const WHEEL_UNITS_PX = [1, 16, 400]
const TAP_WITHIN_PX = 4

/**
 * Recognises wheel, drag, pinch, tap and double click. The wheel scrolls the page, unless Ctrl or Command is
 * pressed or the picture has the focus, so that a person who scrolls past the picture does not get stuck in it.
 */
export function listenToGestures(host: HTMLElement, listener: GestureListener): void {
  const presses = new Presses(listener)
  host.addEventListener('wheel', (event) => zoomByWheel(event, host, listener), { passive: false })
  host.addEventListener('pointerdown', (event) => {
    // A captured pointer would not click the link.
    if (event.button !== 0 || isOnLink(event)) return
    host.setPointerCapture(event.pointerId)
    presses.begin(event.pointerId, locate(event, listener.over))
  })
  host.addEventListener('pointermove', (event) => {
    const place = locate(event, listener.over)
    if (!presses.move(event.pointerId, place) && event.pointerType !== 'touch') listener.hover(place)
  })
  host.addEventListener('pointerup', (event) => presses.end(event.pointerId, event.pointerType === 'touch'))
  host.addEventListener('pointercancel', (event) => presses.cancel(event.pointerId))
  host.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch') listener.hover(undefined)
  })
  host.addEventListener('dblclick', (event) => {
    if (!isOnLink(event)) listener.home()
  })
}

function isOnLink({ target }: Event): boolean {
  return target instanceof Element && target.closest('a') !== null
}

function zoomByWheel(event: WheelEvent, host: HTMLElement, listener: GestureListener): void {
  const isZoom = event.ctrlKey || event.metaKey || document.activeElement === host
  if (!isZoom) return
  event.preventDefault()
  const speed = ZOOM_PER_WHEEL_PX * (event.ctrlKey ? PINCH_SPEED : 1) * (WHEEL_UNITS_PX[event.deltaMode] ?? 1)
  listener.zoom(Math.exp(-event.deltaY * speed), locate(event, listener.over))
}

/** The fingers on the element, or the pressed mouse. */
class Presses {
  readonly #listener: GestureListener
  readonly #places = new Map<number, Position>()
  /** Where a press with one pointer began; undefined as soon as it can no longer be a tap. */
  #tap: Position | undefined

  constructor(listener: GestureListener) {
    this.#listener = listener
  }

  begin(id: number, place: Position): void {
    this.#places.set(id, place)
    this.#tap = this.#places.size === 1 ? place : undefined
  }

  /**
   * One finger pans. Two fingers pan by the movement of their middle, and zoom by the change of their distance.
   *
   * @returns Whether the pointer is pressed; if not, it only hovers
   */
  move(id: number, place: Position): boolean {
    if (!this.#places.has(id)) return false
    if (this.#tap && distance(this.#tap, place) <= TAP_WITHIN_PX) return true
    this.#tap = undefined
    const before = measure([...this.#places.values()])
    this.#places.set(id, place)
    const after = measure([...this.#places.values()])
    this.#listener.pan({ x: after.middle.x - before.middle.x, y: after.middle.y - before.middle.y })
    if (before.spread > 0 && after.spread > 0) this.#listener.zoom(after.spread / before.spread, after.middle)
    return true
  }

  end(id: number, isTouch: boolean): void {
    this.#places.delete(id)
    if (this.#tap) this.#listener.tap(this.#tap, isTouch)
    this.#tap = undefined
  }

  cancel(id: number): void {
    this.#places.delete(id)
    this.#tap = undefined
  }
}

function measure(places: readonly Position[]): { middle: Position; spread: number } {
  const [first, second] = places
  if (!first) return { middle: { x: 0, y: 0 }, spread: 0 }
  if (!second) return { middle: first, spread: 0 }
  return {
    middle: { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 },
    spread: distance(first, second),
  }
}

function distance(a: Position, b: Position): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function locate(event: MouseEvent, element: HTMLElement): Position {
  const box = element.getBoundingClientRect()
  return { x: event.clientX - box.left, y: event.clientY - box.top }
}
