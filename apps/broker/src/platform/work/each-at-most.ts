/** Runs work for each item, for up to `limit` items concurrently, until none is left or `signal` aborts. */
export async function eachAtMost<Item>(
  limit: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const isOver = () => signal?.aborted ?? false;
  const next = async () => {
    for (let item = rest.next(); !item.done && !isOver(); item = rest.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: limit }, next));
}
