import { KIND_NAMES } from '../../src/site/explorer/planets.ts'

/** The colours of the picture, from the stylesheet. */
export interface Palette {
  /** One colour for each of KIND_NAMES. */
  kinds: string[]
  ink: string
  soft: string
  line: string
  paper: string
}

/**
 * Reads the colours from elements that have them, because a canvas does not know custom properties, and their values
 * have colours for light and dark.
 *
 * @param host The element of the picture
 */
export function readPalette(host: HTMLElement): Palette {
  const { color, backgroundColor, borderTopColor, caretColor } = getComputedStyle(host)
  const kinds = KIND_NAMES.map((kind) => {
    const swatch = document.querySelector(`.swatch-${kind}`)
    return swatch ? getComputedStyle(swatch).backgroundColor : color
  })
  return { kinds, ink: color, soft: caretColor, line: borderTopColor, paper: backgroundColor }
}
