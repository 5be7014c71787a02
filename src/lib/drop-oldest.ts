/** Makes room for one more entry: if the map has `max` entries, its oldest entry is removed. */
export function dropOldest(entries: Map<string, unknown>, max: number): void {
  const [oldest] = entries.keys()
  if (entries.size >= max && oldest !== undefined) entries.delete(oldest)
}
