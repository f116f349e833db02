/**
 * Replaces items of a sorted list: the remaining ones are compared with the new ones only, not with each other.
 * @param stays whether an item of the list remains
 * @param compare never 0 for two items of the result
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
