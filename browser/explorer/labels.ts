import type { Place } from './view.ts'

/** The text of a label, and the position of its point. */
export interface Label extends Place {
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
const GAP_PX = 7

/**
 * Finds a place for each label, beside its point, so that no two overlap. A label for which there is no place is left
 * out: its point still has its ring.
 *
 * @returns For each label, where its text begins (left, middle)
 */
export function placeLabels(labels: readonly Label[]): { label: Label; x: number; y: number }[] {
  const taken = labels.map(({ x, y }) => boxAt(x - GAP_PX / 2, y, GAP_PX))
  return labels.flatMap((label, index) => {
    const others = taken.filter((_, other) => other !== index)
    const place = listPlaces(label).find(({ x, y }) => !others.some((box) => overlap(box, boxAt(x, y, label.width))))
    if (!place) return []
    taken.push(boxAt(place.x, place.y, label.width))
    return [{ label, ...place }]
  })
}

/** The possible positions of a label, the best one first: right of its point, left, above, below. */
function listPlaces({ x, y, width }: Label): Place[] {
  return [
    { x: x + GAP_PX, y },
    { x: x - GAP_PX - width, y },
    { x: x - width / 2, y: y - GAP_PX - HEIGHT_PX / 2 },
    { x: x - width / 2, y: y + GAP_PX + HEIGHT_PX / 2 },
  ]
}

function boxAt(x: number, y: number, width: number): Box {
  return { left: x, right: x + width, top: y - HEIGHT_PX / 2, bottom: y + HEIGHT_PX / 2 }
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
