import { at, type Points } from './points.ts'
import type { Projection } from './view.ts'

/** The pixels of a disc, as offsets in a bitmap. The pixels at its edge are half transparent, so that it looks round. */
interface Disc {
  core: Int32Array
  edge: Int32Array
}

const HALF_TRANSPARENT = 0x80000000
const OPAQUE = 0xff000000
const RGB = 0x00ffffff

/**
 * A bitmap of discs. Its pixels are written one by one: a browser that draws without a graphics processor needs three
 * times as long for a frame of arcs, and twice as long for a frame of rectangles.
 */
export class DiscLayer {
  readonly #canvas = document.createElement('canvas')
  readonly #context: CanvasRenderingContext2D
  readonly #radius: number
  #image: ImageData
  #pixels: Uint32Array
  #disc: Disc

  /** @param radius In pixels of the bitmap */
  constructor(width: number, height: number, radius: number) {
    const context = this.#canvas.getContext('2d', { willReadFrequently: true })
    if (!context) throw new Error('This browser has no 2D canvas.')
    this.#context = context
    this.#radius = radius
    this.#canvas.width = width
    this.#canvas.height = height
    this.#image = context.createImageData(width, height)
    this.#pixels = new Uint32Array(this.#image.data.buffer)
    this.#disc = makeDisc(radius, width)
  }

  fits(width: number, height: number, radius: number): boolean {
    return this.#canvas.width === width && this.#canvas.height === height && this.#radius === radius
  }

  /**
   * Draws the shown points, those of a kind after one another.
   *
   * @param colors One for each kind, as `readPixel` returns them
   * @param ratio Pixels of the bitmap in a CSS pixel
   * @returns The canvas, for `drawImage`
   */
  draw(
    { order, x, y, kind }: Points,
    isShown: Uint8Array,
    colors: readonly number[],
    projection: Projection,
    ratio: number,
  ): HTMLCanvasElement {
    this.#pixels.fill(0)
    for (const index of order) {
      if (isShown[index] !== 1) continue
      const left = Math.round(projection.placeX(at(x, index)) * ratio)
      const top = Math.round(projection.placeY(at(y, index)) * ratio)
      if (this.#contains(left, top)) this.#stamp(top * this.#canvas.width + left, at(colors, at(kind, index)))
    }
    this.#context.putImageData(this.#image, 0, 0)
    return this.#canvas
  }

  /** Whether a disc is inside of the bitmap as a whole: otherwise its pixels would be in other rows. */
  #contains(left: number, top: number): boolean {
    const reach = Math.ceil(this.#radius)
    const { width, height } = this.#canvas
    return left >= reach && top >= reach && left < width - reach && top < height - reach
  }

  #stamp(center: number, color: number): void {
    const { core, edge } = this.#disc
    const faint = ((color & RGB) | HALF_TRANSPARENT) >>> 0
    for (const offset of core) this.#pixels[center + offset] = color
    for (const offset of edge) {
      if (this.#pixels[center + offset] === 0) this.#pixels[center + offset] = faint
    }
  }
}

/** A colour such as `rgb(11, 122, 117)`, as a pixel of a bitmap. Every machine that runs a browser is little-endian. */
export function readPixel(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number)
  return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0
}

/** @param rowLength Pixels in a row of the bitmap */
function makeDisc(radius: number, rowLength: number): Disc {
  const core: number[] = []
  const edge: number[] = []
  const reach = Math.ceil(radius)
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const distance = Math.hypot(x, y)
      if (distance <= radius - 0.25) core.push(y * rowLength + x)
      else if (distance <= radius + 0.25) edge.push(y * rowLength + x)
    }
  }
  return { core: Int32Array.from(core), edge: Int32Array.from(edge) }
}
