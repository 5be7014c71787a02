import type uPlot from 'uplot'
import { FIGURES, type FigureName, titleOf } from '../../src/site/explorer/axis-figures.ts'
import type { Palette } from './palette.ts'
import { listLinearTicks, listLogarithmicTicks, writeTick } from './ticks.ts'

const FONT = '12px system-ui, sans-serif'
const TITLE_FONT = '600 13px system-ui, sans-serif'
/** The space that the text of a tick needs along its axis, in CSS pixels. */
const ROOM_PX = { x: 72, y: 40 }
/** The space that the ticks of an axis need across it. */
const TICKS_PX = { x: 30, y: 54 }
/** The space that the title of an axis needs across it. */
const TITLE_PX = 24
/** The distributions of a scale, as uPlot numbers them. */
const LINEAR = 1
const LOGARITHMIC = 3

/**
 * The options of an axis for uPlot. On a logarithmic axis, uPlot passes the values themselves, not their logarithms.
 */
export function describeAxis(scale: 'x' | 'y', name: FigureName, palette: () => Palette): uPlot.Axis {
  const { isLogarithmic } = FIGURES[name]
  return {
    scale,
    label: titleOf(name),
    labelFont: TITLE_FONT,
    labelSize: TITLE_PX,
    font: FONT,
    size: TICKS_PX[scale],
    gap: 6,
    stroke: () => palette().soft,
    grid: { stroke: () => palette().line, width: 1 },
    ticks: { show: false },
    // uPlot's own ticks of a logarithmic axis are not round after a zoom (uPlot issue 849).
    splits: (plot, _, from, to) => {
      // uPlot chooses the first ticks before it has laid out the plot area, so the length is estimated: the other axis
      // takes its part of the plot.
      const length = scale === 'x' ? plot.width - TICKS_PX.y : plot.height - TICKS_PX.x
      const countMax = Math.max(2, Math.floor(length / ROOM_PX[scale]))
      if (isLogarithmic) return listLogarithmicTicks(Math.log10(from), Math.log10(to), countMax)
      return listLinearTicks(from, to, countMax)
    },
    // uPlot's own filter leaves out labels of a logarithmic axis.
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((value) => writeTick(value, name === 'year')),
  }
}

/** The options of a scale for uPlot that shows exactly this range. */
export function describeScale(name: FigureName, range: () => [number, number]): uPlot.Scale {
  return { time: false, auto: false, distr: FIGURES[name].isLogarithmic ? LOGARITHMIC : LINEAR, range }
}

/** Converts a value of a view, which is a logarithm on a logarithmic axis, to the value that uPlot expects. */
export function toPlotValue(name: FigureName, value: number): number {
  return FIGURES[name].isLogarithmic ? 10 ** value : value
}
