/** Makes room for one more entry: if the map has `max` entries, removes the oldest of them. */
export function dropOldest(entries: Map<string, unknown>, max: number): void {
  const [oldest] = entries.keys()
  if (entries.size >= max && oldest !== undefined) entries.delete(oldest)
}
