import type uPlot from 'uplot'
import { FIGURES, type FigureName, titleOf } from '../../src/site/explorer/axis-figures.ts'
import type { Palette } from './palette.ts'
import { listLinearTicks, listLogarithmicTicks, writeTick } from './ticks.ts'

const FONT = '12px system-ui, sans-serif'
const TITLE_FONT = '600 13px system-ui, sans-serif'
/** The room that the text of a tick needs along its axis, in CSS pixels. */
const ROOM_PX = { x: 72, y: 40 }
/** The room for ticks, and for the title, across the axis. */
const SIZES_PX = { x: 30, y: 54 }
const TITLE_PX = 24

/** uPlot's description of an axis. Its values come from uPlot as they are, and not as logarithms. */
export function describeAxis(scale: 'x' | 'y', name: FigureName, palette: () => Palette): uPlot.Axis {
  const { isLogarithmic } = FIGURES[name]
  return {
    scale,
    label: titleOf(name),
    labelFont: TITLE_FONT,
    labelSize: TITLE_PX,
    font: FONT,
    size: SIZES_PX[scale],
    gap: 6,
    stroke: () => palette().soft,
    grid: { stroke: () => palette().line, width: 1 },
    ticks: { show: false },
    // uPlot's own ticks of a logarithmic axis are not round after a zoom (uPlot issue 849).
    splits: (plot, _, from, to) => {
      // The part with the points has no size yet when its first ticks are chosen.
      const length = scale === 'x' ? plot.width - SIZES_PX.y : plot.height - SIZES_PX.x
      const countMax = Math.max(2, Math.floor(length / ROOM_PX[scale]))
      if (isLogarithmic) return listLogarithmicTicks(Math.log10(from), Math.log10(to), countMax)
      return listLinearTicks(from, to, countMax)
    },
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((value) => writeTick(value, name === 'year')),
  }
}

/** uPlot's description of a scale that shows exactly what it is told. */
export function describeScale(name: FigureName, range: () => [number, number]): uPlot.Scale {
  return { time: false, auto: false, distr: FIGURES[name].isLogarithmic ? 3 : 1, range }
}

/** A value of an axis as uPlot takes it. */
export function unscale(name: FigureName, value: number): number {
  return FIGURES[name].isLogarithmic ? 10 ** value : value
}
