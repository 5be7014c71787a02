import { SEQUENCE } from './world-tables.ts'

/** Tables that are named. The others are counted together. */
const NAMES: Readonly<Record<string, string>> = {
  users: 'users',
  planets: 'planets',
  bodies: 'other celestial bodies',
  images: 'images',
}

export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const known = Object.entries(counts).filter(([table]) => table !== SEQUENCE)
  const others = sum(known.filter(([table]) => !(table in NAMES)).map(([, count]) => count))
  const named = Object.entries(NAMES).map(([table, name]) => `${formatNumber(counts[table] ?? 0)} ${name}`)
  return `${named.join(', ')} and ${formatNumber(others)} other rows`
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en')
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
