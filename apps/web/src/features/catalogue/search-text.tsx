import { maxSearchLength } from '@souk/contract/catalogue-search.ts';
import { useState } from 'react';
import { SearchField } from '#ui/search-field.tsx';

/** Short, so that it is not cut beside the filters. */
export const searchPlaceholder = 'Search servers and tools';

/** Keeps the text as typed, while the address holds it trimmed. A change of the address by Back or a link wins. */
export function SearchText({ q = '', onChange }: { q: string | undefined; onChange: (q: string | undefined) => void }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  if (q !== known) {
    setKnown(q);
    if (typed.trim() !== q) setTyped(q);
  }
  return (
    <SearchField
      label="Search servers"
      placeholder={searchPlaceholder}
      value={typed}
      onChange={(text) => {
        const bounded = text.slice(0, maxSearchLength);
        setTyped(bounded);
        onChange(bounded.trim() === '' ? undefined : bounded.trim());
      }}
    />
  );
}
