import { startTransition, useEffect, useState } from 'react';

type Drawn<Item> = {
  items: readonly Item[];
  /** How many of them stand in their places. */
  count: number;
  /** What stood in the places before. */
  before: readonly (Item | undefined)[];
};

const placesOf = <Item>({ items, count, before }: Drawn<Item>): (Item | undefined)[] =>
  items.map((item, place) => (place < count ? item : before[place]));

/**
 * A long list that is drawn in parts, each in a task of its own, so that a slow device answers between them. Until the turn
 * of a place has come it keeps what stood there before.
 * @param part items of each part
 * @returns what stands in each place; undefined: nothing yet
 */
export function useInParts<Item>(items: readonly Item[], part: number): readonly (Item | undefined)[] {
  const [known, setKnown] = useState<Drawn<Item>>({ items, count: part, before: [] });
  const drawn = known.items === items ? known : { items, count: part, before: placesOf(known) };
  if (drawn !== known) setKnown(drawn);
  const { count } = drawn;
  useEffect(() => {
    if (count >= items.length) return undefined;
    // a task of its own: what is drawn has been painted by then
    const timer = setTimeout(() =>
      startTransition(() => setKnown((now) => (now.items === items ? { ...now, count: count + part } : now))),
    );
    return () => clearTimeout(timer);
  }, [items, count, part]);
  return placesOf(drawn);
}
