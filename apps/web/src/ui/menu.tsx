import type { LinkProps } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState, type ReactNode } from 'react';
import { buttonClasses, type ButtonLook } from './button-look.ts';

export type MenuEntry =
  | 'separator'
  | { label: string; to: NonNullable<LinkProps['to']>; icon?: ReactNode }
  | {
      label: string;
      onSelect: () => void;
      icon?: ReactNode;
      tone?: 'danger' | undefined;
      disabled?: boolean | undefined;
    };

export type MenuProps = ButtonLook & {
  /** The accessible name of the button and of the list. */
  label: string;
  /** What the button shows. */
  children: ReactNode;
  entries: readonly MenuEntry[];
  /** The button is a square with an icon. */
  square?: boolean | undefined;
  align?: 'start' | 'end' | undefined;
  className?: string | undefined;
};

const loadPopup = () => import('./menu-popup.tsx');
const MenuPopup = lazy(async () => ({ default: (await loadPopup()).MenuPopup }));

/** A button that opens a list of links and actions. Arrow keys, typing a first letter, Escape. */
export function Menu({ label, children, entries, align = 'end', className, ...look }: MenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const show = (next: boolean) => {
    setWanted(true);
    setOpen(next);
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onPointerEnter={() => void loadPopup()}
        onFocus={() => void loadPopup()}
        onClick={() => show(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          show(true);
        }}
        className={buttonClasses({ variant: 'ghost', ...look }, className)}
      >
        {children}
      </button>
      {wanted && (
        <Suspense fallback={null}>
          <MenuPopup
            label={label}
            entries={entries}
            open={open}
            onOpenChange={setOpen}
            trigger={trigger}
            align={align}
          />
        </Suspense>
      )}
    </>
  );
}
