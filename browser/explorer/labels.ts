import type { Position } from './view.ts'

/** The text of a label, and the position of its point. */
export interface Label extends Position {
  text: string
  width: number
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

const HEIGHT_PX = 14
/** The distance of a text from the middle of its point. */
const GAP_PX = 7

/**
 * Finds a place for each label, beside its point, so that no two overlap. A label for which there is no place is left
 * out: its point still has its ring.
 *
 * @returns For each label, where its text begins (left, middle)
 */
export function placeLabels(labels: readonly Label[]): { label: Label; x: number; y: number }[] {
  const points = labels.map((label) => ({ label, box: boxAt(label.x - GAP_PX / 2, label.y, GAP_PX) }))
  const texts: Box[] = []
  return labels.flatMap((label) => {
    // A text may touch the box of its own point.
    const otherPoints = points.filter((point) => point.label !== label).map(({ box }) => box)
    const taken = [...otherPoints, ...texts]
    const place = listPositions(label).find(({ x, y }) => !taken.some((box) => overlap(box, boxAt(x, y, label.width))))
    if (!place) return []
    texts.push(boxAt(place.x, place.y, label.width))
    return [{ label, ...place }]
  })
}

/** The possible positions of a label, the best one first: right of its point, left, above, below. */
function listPositions({ x, y, width }: Label): Position[] {
  return [
    { x: x + GAP_PX, y },
    { x: x - GAP_PX - width, y },
    { x: x - width / 2, y: y - GAP_PX - HEIGHT_PX / 2 },
    { x: x - width / 2, y: y + GAP_PX + HEIGHT_PX / 2 },
  ]
}

/** @param x The left edge of the box. @param y The middle of its height */
function boxAt(x: number, y: number, width: number): Box {
  return { left: x, right: x + width, top: y - HEIGHT_PX / 2, bottom: y + HEIGHT_PX / 2 }
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
