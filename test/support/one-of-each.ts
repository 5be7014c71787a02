// For a mechanism that serves many items: one item of each kind is tested in full, and the others share the cases.

/** The first of each kind. */
export function oneOfEach<Item>(items: readonly Item[], kindOf: (item: Item) => unknown): Item[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(kindOf(item)))
  return [...groups.values()].flatMap((group) => group.slice(0, 1))
}

/** The item whose turn it is. The next turn takes the next item, and the first follows the last. */
export function turnOf<Item>(items: readonly Item[], turn: number): Item[] {
  return items.slice(turn % items.length).slice(0, 1)
}
