import type { Delivery } from '../../src/schemas/delivery.ts'
import { badgeOf } from './delivery-words.ts'

export function Badge({ of }: { of: Pick<Delivery, 'status' | 'test'> }) {
  const { word, tone } = badgeOf(of)
  return <span class={`badge ${tone}`}>{word}</span>
}
