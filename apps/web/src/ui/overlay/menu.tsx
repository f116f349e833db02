import { Suspense, useRef, useState, type ReactNode } from 'react';
import { lazyPart } from '#ui/lazy-part.ts';
import { buttonClasses } from '../button-look.ts';
import type { MenuEntry } from './menu-popup.tsx';

export type MenuProps = {
  /** Names the list and begins the button's name: "Account" before the visible "Noor Haddad". */
  label: string;
  children: ReactNode;
  entries: readonly MenuEntry[];
  /** A square button for an icon. */
  square?: boolean | undefined;
  className?: string | undefined;
};

const loadPopup = () => import('./menu-popup.tsx');
const MenuPopup = lazyPart(loadPopup, 'MenuPopup');

/**
 * A button that opens a list of links and actions: arrow keys, first letters, Escape. The list's code is fetched when
 * the user points at the button.
 */
export function Menu({ label, children, entries, square, className }: MenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const container = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const [opening, setOpening] = useState<{ byKey: boolean }>();
  const show = (byKey: boolean) => {
    setOpening({ byKey });
    setOpen(true);
  };
  return (
    <span ref={container} className="inline-flex min-w-0">
      <button
        ref={trigger}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        onPointerEnter={() => void loadPopup()}
        onFocus={() => void loadPopup()}
        // a click by Enter or the space bar has the count 0
        onClick={(event) => (open ? setOpen(false) : show(event.detail === 0))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          show(true);
        }}
        className={buttonClasses({ variant: 'ghost', square }, className)}
      >
        <span className="sr-only">{label}</span>
        {children}
      </button>
      {opening && (
        <Suspense fallback={null}>
          <MenuPopup
            label={label}
            entries={entries}
            open={open}
            byKey={opening.byKey}
            onOpenChange={setOpen}
            trigger={trigger}
            container={container}
          />
        </Suspense>
      )}
    </span>
  );
}
