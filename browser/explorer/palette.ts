import { KIND_NAMES } from '../../src/site/explorer/planets.ts'

/** The colours of the picture, from the stylesheet. */
export interface Palette {
  /** One colour for each of KIND_NAMES. */
  kinds: string[]
  /** Rings and names. */
  ink: string
  /** The text of the axes. */
  soft: string
  /** The grid. */
  line: string
  /** The background, and halos in its colour. */
  paper: string
}

/**
 * Reads the colours from the computed styles of elements. A canvas cannot use custom properties, and the value of a
 * custom property contains the colours for both light and dark.
 *
 * @param host The element of the picture. Its style has the colours of the palette (styles/explorer.css)
 */
export function readPalette(host: HTMLElement): Palette {
  const { color, backgroundColor, borderTopColor, caretColor } = getComputedStyle(host)
  const kinds = KIND_NAMES.map((kind) => {
    const swatch = document.querySelector(`.swatch-${kind}`)
    return swatch ? getComputedStyle(swatch).backgroundColor : color
  })
  return { kinds, ink: color, soft: caretColor, line: borderTopColor, paper: backgroundColor }
}
