import { paletteMark } from '@souk/contract/pages.ts';
import Search from 'lucide-react/icons/search';
import { lazy, Suspense, useEffect, useState, type ComponentType } from 'react';
import { buttonClasses } from '#ui/button-look.ts';
import { isTyping } from '#ui/form/search-field.tsx';

export type PaletteProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The text typed before the palette's field had the focus. */
  typed: string;
};

const openDialog = '[role="dialog"]:not([data-closed]), [role="alertdialog"]:not([data-closed])';

/** Attributes of the document. One tells whether the palette's keys were pressed before this code was loaded. */
const page = document.documentElement.dataset;

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** Returns whether the key is cmd-K or ctrl-K, which opens the palette even while the user types. */
const isShortcut = (event: KeyboardEvent) =>
  event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;

/** Returns whether the key is a `/` that no search field of the screen takes. */
const isSlash = (event: KeyboardEvent) =>
  event.key === '/' &&
  !(event.metaKey || event.ctrlKey || event.altKey) &&
  !isTyping(event) &&
  !document.querySelector('main [aria-keyshortcuts="/"]');

const isText = ({ key, metaKey, ctrlKey, altKey }: KeyboardEvent) =>
  key.length === 1 && !metaKey && !ctrlKey && !altKey;

/**
 * Returns the text typed after the palette was opened and before its field has the focus, since its code may still be
 * loading.
 */
function useTypedAhead(open: boolean): string {
  const [typed, setTyped] = useState('');
  if (!open && typed !== '') setTyped('');
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => {
      if (document.activeElement?.closest('[role="dialog"]')) return;
      if (event.key === 'Enter') event.preventDefault();
      if (event.key === 'Backspace') setTyped((text) => text.slice(0, -1));
      if (!isText(event)) return;
      event.preventDefault();
      setTyped((text) => text + event.key);
    };
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, [open]);
  return typed;
}

/**
 * The header's button that opens the command palette, and its keys. The palette's code is fetched when the user points
 * at the button or presses the keys.
 */
export function CommandPalette({ load }: { load: () => Promise<{ Palette: ComponentType<PaletteProps> }> }) {
  const [Palette] = useState(() => lazy(async () => ({ default: (await load()).Palette })));
  const [open, setOpen] = useState(() => page[paletteMark] === 'asked');
  const [wasOpened, setWasOpened] = useState(false);
  const typed = useTypedAhead(open);
  if (open && !wasOpened) setWasOpened(true);
  useEffect(() => {
    page[paletteMark] = 'ready';
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event) && !isSlash(event)) return;
      // it does not open above another dialog, unless that one is closing
      const isCovered = !open && document.querySelector(openDialog);
      if (isCovered) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen(true)}
        className={buttonClasses({ variant: 'ghost' }, 'max-lg:w-9 max-lg:px-0! text-quiet')}
      >
        <Search aria-hidden size={16} />
        <span>
          <span className="max-lg:sr-only">Search</span>
          <span className="sr-only"> services, tools and screens</span>
        </span>
        <kbd aria-hidden className="rounded-sm border border-line px-1.5 font-sans text-xs text-faint max-lg:hidden">
          {isApple() ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      {wasOpened && (
        <Suspense fallback={null}>
          <Palette open={open} onOpenChange={setOpen} typed={typed} />
        </Suspense>
      )}
    </>
  );
}
