import { useEffect, useRef, useState } from 'react';
import { SearchField } from '../form/search-field.tsx';

export type SearchTextProps = {
  /** The accessible name. */
  label: string;
  placeholder: string;
  /** What the address holds. */
  q: string | undefined;
  onChange: (q: string | undefined) => void;
  maxLength: number;
  /** How long a person pauses before the address is written: 0 unless each change asks for much. */
  delayMs?: number | undefined;
  /** Enter, with the text as it is in the box. */
  onSubmit?: ((text: string) => void) | undefined;
  className?: string | undefined;
};

/**
 * Keeps the text as typed, while the address holds it trimmed, and is written in a task of its own: a slow device shows the
 * letter first. A change of the address by Back or a link wins.
 */
export function SearchText({ q = '', onChange, maxLength, delayMs = 0, ...field }: SearchTextProps) {
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
      {...field}
      value={typed}
      onChange={(text) => {
        const bounded = text.slice(0, maxLength);
        setTyped(bounded);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          const next = bounded.trim();
          // an address that holds it already tells of no change
          written.current = next === q ? [] : [...written.current, next];
          write.current(next === '' ? undefined : next);
        }, delayMs);
      }}
    />
  );
}
