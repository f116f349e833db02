import Search from 'lucide-react/icons/search';
import X from 'lucide-react/icons/x';
import { useEffect, useRef } from 'react';
import { classNames } from '../class-names.ts';
import { controlClasses } from './input.tsx';

export type SearchFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string | undefined;
  onSubmit?: ((value: string) => void) | undefined;
  name?: string | undefined;
  className?: string | undefined;
};

/** Returns whether the key is typed into a text field. The composed path also finds an editor inside a shadow root. */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

/** A search box. `/` focuses it, Escape empties it. Use one per screen. */
export function SearchField({ label, value, onChange, placeholder, onSubmit, name, className }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      // a field behind an open dialog must not get the focus
      if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  return (
    <span className={classNames('group relative block min-w-0', className)}>
      <Search
        aria-hidden
        size={16}
        className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-faint"
      />
      <input
        ref={input}
        type="search"
        dir="auto"
        name={name}
        aria-label={label}
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onSubmit?.(event.currentTarget.value);
          if (event.key === 'Escape' && value) {
            event.preventDefault();
            onChange('');
          }
        }}
        className={classNames(controlClasses, 'h-9 pr-9 pl-9 text-ellipsis [&::-webkit-search-cancel-button]:hidden')}
      />
      {value ? (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            onChange('');
            input.current?.focus();
          }}
          className="absolute top-1/2 right-1.5 inline-flex size-6 -translate-y-1/2 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-text"
        >
          <X aria-hidden size={15} />
        </button>
      ) : (
        <kbd
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2 hidden -translate-y-1/2 rounded-sm border border-line px-1.5 font-sans text-xs text-faint group-focus-within:hidden sm:block"
        >
          /
        </kbd>
      )}
    </span>
  );
}
