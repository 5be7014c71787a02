import { at, type Points } from './points.ts'
import type { Projection } from './view.ts'

/**
 * The pixels of a disc, as offsets in a bitmap, and how much of what is still transparent in each the disc covers. A
 * pixel at the edge is covered in part, so that the disc looks round.
 */
interface Disc {
  offsets: Int32Array
  coverages: Float64Array
}

// A pixel is a number of four bytes: alpha, blue, green, red. Bit operations return signed numbers. `>>> 0` converts
// them to unsigned numbers, as a Uint32Array has them.
const OPAQUE = 0xff000000
const RGB = 0x00ffffff
const ALPHA_SHIFT = 24
const ALPHA_MAX = 0xff

/** The coverage of a pixel inside of a disc. It is less than 1, so that the picture is denser where discs overlap. */
const COVERAGE = 0.65

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
   * @param colors One for each kind, as `toPixel` returns them
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
      const centerX = Math.round(projection.placeX(at(x, index)) * ratio)
      const centerY = Math.round(projection.placeY(at(y, index)) * ratio)
      if (!this.#containsDisc(centerX, centerY)) continue
      this.#stamp(centerY * this.#canvas.width + centerX, at(colors, at(kind, index)))
    }
    this.#context.putImageData(this.#image, 0, 0)
    return this.#canvas
  }

  /** Whether the whole disc is inside of the bitmap. Pixels beyond the end of a row would appear in the next row. */
  #containsDisc(centerX: number, centerY: number): boolean {
    const reach = Math.ceil(this.#radius)
    const { width, height } = this.#canvas
    return centerX >= reach && centerY >= reach && centerX < width - reach && centerY < height - reach
  }

  /** @param center The offset of the pixel in the middle of the disc */
  #stamp(center: number, color: number): void {
    const { offsets, coverages } = this.#disc
    for (let index = 0; index < offsets.length; index++) {
      const pixel = center + at(offsets, index)
      const alpha = at(this.#pixels, pixel) >>> ALPHA_SHIFT
      const covered = alpha + Math.round((ALPHA_MAX - alpha) * at(coverages, index))
      this.#pixels[pixel] = ((color & RGB) | (covered << ALPHA_SHIFT)) >>> 0
    }
  }
}

/**
 * Converts a colour such as `rgb(11, 122, 117)` to a pixel. Red is the first byte of a pixel in memory, so it is the
 * lowest byte of the number: every machine that runs a browser is little-endian.
 */
export function toPixel(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number)
  return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0
}

/** @param rowLength Pixels in a row of the bitmap */
function makeDisc(radius: number, rowLength: number): Disc {
  const offsets: number[] = []
  const coverages: number[] = []
  const reach = Math.ceil(radius)
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const inside = Math.min(radius + 1 / 2 - Math.hypot(x, y), 1)
      if (inside <= 0) continue
      offsets.push(y * rowLength + x)
      coverages.push(inside * COVERAGE)
    }
  }
  return { offsets: Int32Array.from(offsets), coverages: Float64Array.from(coverages) }
}
