// For what one mechanism does for many things: it is proved in full for one thing of each kind, and the others share what
// there is to prove among them.

/** The first of each kind. */
export function oneOfEach<Item>(items: readonly Item[], kindOf: (item: Item) => unknown): Item[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(kindOf(item)))
  return [...groups.values()].flatMap((group) => group.slice(0, 1))
}

/** The one item whose turn it is; the next turn is that of the next item, and that of the first follows the last. */
export function turnOf<Item>(items: readonly Item[], turn: number): Item[] {
  return items.slice(turn % items.length).slice(0, 1)
}
