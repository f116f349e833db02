import { useEffect, useRef, useState } from 'react';
import { SearchField } from '../form/search-field.tsx';

export type SearchTextProps = {
  label: string;
  placeholder: string;
  /** The text in the address. */
  q: string | undefined;
  onChange: (q: string | undefined) => void;
  maxLength: number;
  /** Pause in typing before the address is written. Set it if each change causes a request. */
  delayMs?: number | undefined;
  /** Called on Enter with the text in the box. */
  onSubmit?: ((text: string) => void) | undefined;
  className?: string | undefined;
};

/**
 * A search box whose text is also in the address, trimmed. The address is written in a task of its own, so that a slow
 * device shows the letter first. A change of the address by Back or a link wins.
 */
export function SearchText({ q = '', onChange, maxLength, delayMs = 0, ...field }: SearchTextProps) {
  const [typed, setTyped] = useState(q);
  /** Texts that were written and have not come back in the address. */
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
          // writing the same text again causes no change of the address
          written.current = next === q ? [] : [...written.current, next];
          write.current(next === '' ? undefined : next);
        }, delayMs);
      }}
    />
  );
}
