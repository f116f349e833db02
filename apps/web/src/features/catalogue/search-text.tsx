import { maxSearchLength } from '@souk/contract/catalogue-search.ts';
import { useEffect, useRef, useState } from 'react';
import { SearchField } from '#ui/search-field.tsx';

/** Short, so that it is not cut beside the filters. */
export const searchPlaceholder = 'Search servers and tools';

/**
 * Keeps the text as typed, while the address holds it trimmed, and is written in a task of its own: a slow device shows the
 * letter first. A change of the address by Back or a link wins.
 */
export function SearchText({ q = '', onChange }: { q: string | undefined; onChange: (q: string | undefined) => void }) {
  const [typed, setTyped] = useState(q);
  /** What was written and has not come back in the address. */
  const written = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const write = useRef(onChange);
  useEffect(() => {
    write.current = onChange;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const at = written.current.indexOf(q);
    written.current = at < 0 ? [] : written.current.slice(at + 1);
    if (at < 0) setTyped((text) => (text.trim() === q ? text : q));
  }, [q]);
  return (
    <SearchField
      label="Search servers"
      placeholder={searchPlaceholder}
      value={typed}
      onChange={(text) => {
        const bounded = text.slice(0, maxSearchLength);
        setTyped(bounded);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          const next = bounded.trim();
          // an address that holds it already tells of no change
          written.current = next === q ? [] : [...written.current, next];
          write.current(next === '' ? undefined : next);
        });
      }}
    />
  );
}
