import { startTransition, useEffect, useState } from 'react';

type Rendered<Item> = {
  items: readonly Item[];
  /** Number of items that are rendered. */
  count: number;
  before: readonly (Item | undefined)[];
};

const placesOf = <Item>({ items, count, before }: Rendered<Item>): (Item | undefined)[] =>
  items.map((item, place) => (place < count ? item : before[place]));

/**
 * Renders a long list in parts, each in a task of its own, so that a slow device responds in between. A place keeps its
 * previous item until its part is rendered.
 * @param part items of each part
 * @returns the item of each place; undefined: nothing yet
 */
export function useInParts<Item>(items: readonly Item[], part: number): readonly (Item | undefined)[] {
  const [known, setKnown] = useState<Rendered<Item>>({ items, count: part, before: [] });
  const rendered = known.items === items ? known : { items, count: part, before: placesOf(known) };
  if (rendered !== known) setKnown(rendered);
  const { count } = rendered;
  useEffect(() => {
    if (count >= items.length) return undefined;
    // in a task of its own, after the previous part was painted
    const timer = setTimeout(() =>
      startTransition(() => setKnown((now) => (now.items === items ? { ...now, count: count + part } : now))),
    );
    return () => clearTimeout(timer);
  }, [items, count, part]);
  return placesOf(rendered);
}
