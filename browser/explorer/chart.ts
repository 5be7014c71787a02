import uPlot from 'uplot'
import type { FigureName } from '../../src/site/explorer/axis-figures.ts'
import { describeAxis, describeScale, toPlotValue } from './axes.ts'
import { DiscLayer, toPixel } from './discs.ts'
import { placeLabels } from './labels.ts'
import { type Palette, readPalette } from './palette.ts'
import { at, hasPosition, type Points } from './points.ts'
import { Projection, type Size, type View } from './view.ts'

const POINT_RADIUS_PX = 2.5
const RING_RADIUS_PX = 5
const RING_WIDTH_PX = 1.5
/** The width of a halo on each side of a ring, and of the letters of a name. */
const HALO_PX = { ring: 1, name: 2 }
const LABEL_FONT = '600 12px system-ui, sans-serif'
const PADDING_PX: uPlot.Padding = [14, 18, 0, 0]

export interface ChartContent {
  axes: { x: FigureName; y: FigureName }
  points: Points
  /** 1 for each point that is shown. */
  isShown: Uint8Array
  /** The points that have a ring and their name beside them if they are shown. */
  named: readonly { index: number; text: string }[]
  view: View
}

/**
 * The canvas. uPlot draws the axes. This class draws the points, because uPlot would draw an arc for each, which is
 * slow. All changes within a frame are drawn together.
 */
export class Chart {
  readonly #host: HTMLElement
  #plot: uPlot | undefined
  #content: ChartContent
  #palette: Palette
  #layer: DiscLayer | undefined
  #isDrawRequested = false
  /** Called after each drawing. */
  onDraw: () => void = () => {}

  constructor(host: HTMLElement, content: ChartContent) {
    this.#host = host
    this.#content = content
    this.#palette = readPalette(host)
    this.#build()
    new ResizeObserver(() => this.#resize()).observe(host)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#palette = readPalette(this.#host)
      this.#requestDraw()
    })
  }

  /** Changes the content. It is drawn with the next frame. */
  show(change: Partial<ChartContent>): void {
    this.#content = { ...this.#content, ...change }
    // uPlot cannot switch a scale between linear and logarithmic.
    if (change.axes) this.#build()
    else this.#requestDraw()
  }

  /**
   * The place and size of the plot area. They are computed from uPlot's numbers, because reading them from the document
   * would force a layout.
   */
  get plotArea(): Size & { left: number; top: number } {
    const { left = 0, top = 0, width = 1, height = 1 } = this.#plot?.bbox ?? {}
    const ratio = uPlot.pxRatio
    return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio }
  }

  /** The element of the plot area. It is above the canvas. */
  get over(): HTMLElement {
    if (!this.#plot) throw new Error('the chart is built by its constructor')
    return this.#plot.over
  }

  get projection(): Projection {
    return new Projection(this.#content.view, this.plotArea)
  }

  #build(): void {
    const { x, y } = this.#content.axes
    this.#plot?.destroy()
    const palette = () => this.#palette
    const options: uPlot.Options = {
      ...this.#measureHost(),
      padding: PADDING_PX,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: describeScale(x, () => this.#rangeOf('x')), y: describeScale(y, () => this.#rangeOf('y')) },
      axes: [describeAxis('x', x, palette), describeAxis('y', y, palette)],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(plot) => this.#drawPoints(plot)] },
    }
    // uPlot does not draw the points, but it requires a series with a value.
    this.#plot = new uPlot(options, [[1], [1]], this.#host)
    this.#apply(this.#plot)
  }

  #rangeOf(axis: 'x' | 'y'): [number, number] {
    const { view, axes } = this.#content
    const [from, to] = axis === 'x' ? [view.x0, view.x1] : [view.y0, view.y1]
    return [toPlotValue(axes[axis], from), toPlotValue(axes[axis], to)]
  }

  #measureHost(): Size {
    return { width: this.#host.clientWidth, height: this.#host.clientHeight }
  }

  #resize(): void {
    const { width, height } = this.#measureHost()
    if (width > 0 && height > 0 && (this.#plot?.width !== width || this.#plot?.height !== height)) {
      this.#plot?.setSize({ width, height })
    }
  }

  #requestDraw(): void {
    if (this.#isDrawRequested) return
    this.#isDrawRequested = true
    requestAnimationFrame(() => {
      this.#isDrawRequested = false
      if (this.#plot) this.#apply(this.#plot)
    })
  }

  /** Draws once: uPlot applies the changes of a batch together. */
  #apply(plot: uPlot): void {
    plot.batch(() => {
      for (const axis of ['x', 'y'] as const) {
        const [min, max] = this.#rangeOf(axis)
        plot.setScale(axis, { min, max })
      }
      const [rebuildsPaths, computesAxes] = [false, true]
      plot.redraw(rebuildsPaths, computesAxes)
    })
  }

  #drawPoints({ ctx: context, bbox }: uPlot): void {
    const { points, isShown } = this.#content
    const { pxRatio } = uPlot
    const colors = this.#palette.kinds.map(toPixel)
    const discs = this.#layerFor(bbox, POINT_RADIUS_PX * pxRatio)
    context.save()
    context.drawImage(discs.draw(points, isShown, colors, this.projection, pxRatio), bbox.left, bbox.top)
    context.beginPath()
    context.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    context.clip()
    context.translate(bbox.left, bbox.top)
    context.scale(pxRatio, pxRatio)
    this.#drawNames(context)
    context.restore()
    this.onDraw()
  }

  #layerFor({ width, height }: Size, radius: number): DiscLayer {
    if (!this.#layer?.fits(width, height, radius)) this.#layer = new DiscLayer(width, height, radius)
    return this.#layer
  }

  #drawNames(context: CanvasRenderingContext2D): void {
    const { points, named, isShown } = this.#content
    const { projection } = this
    context.font = LABEL_FONT
    context.textBaseline = 'middle'
    context.textAlign = 'left'
    context.lineJoin = 'round'
    const labels = named
      .filter(({ index }) => isShown[index] === 1 && hasPosition(points, index))
      .map(({ index, text }) => ({
        text,
        width: context.measureText(text).width,
        x: projection.placeX(at(points.x, index)),
        y: projection.placeY(at(points.y, index)),
      }))
    for (const { x, y } of labels) this.#drawRing(context, x, y)
    for (const { label, x, y } of placeLabels(labels)) this.#drawText(context, label.text, x, y)
  }

  /** With a halo, so that it is visible among points. */
  #drawRing(context: CanvasRenderingContext2D, x: number, y: number): void {
    context.beginPath()
    context.arc(x, y, RING_RADIUS_PX, 0, 2 * Math.PI)
    context.lineWidth = RING_WIDTH_PX + 2 * HALO_PX.ring
    context.strokeStyle = this.#palette.paper
    context.stroke()
    context.lineWidth = RING_WIDTH_PX
    context.strokeStyle = this.#palette.ink
    context.stroke()
  }

  /** With a halo, so that it can be read above points. */
  #drawText(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
    // Half of the line is outside of the letters.
    context.lineWidth = 2 * HALO_PX.name
    context.strokeStyle = this.#palette.paper
    context.strokeText(text, x, y)
    context.fillStyle = this.#palette.ink
    context.fillText(text, x, y)
  }
}
