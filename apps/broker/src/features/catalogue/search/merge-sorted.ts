/**
 * A sorted list with some items replaced: those that stay are compared with the new ones alone, not with each other.
 * @param stays whether an item of the list is kept
 * @param compare of two items that both are in the result never 0
 */
export function mergeSorted<Item>(
  sorted: readonly Item[],
  stays: (item: Item) => boolean,
  added: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Item[] {
  const merged: Item[] = [];
  const news = added.toSorted(compare);
  let next = 0;
  for (const item of sorted) {
    if (!stays(item)) continue;
    for (let one = news[next]; one !== undefined && compare(one, item) < 0; one = news[next]) {
      merged.push(one);
      next++;
    }
    merged.push(item);
  }
  return [...merged, ...news.slice(next)];
}
