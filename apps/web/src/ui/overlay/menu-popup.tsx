import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Link, useRouter, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';

export type MenuEntry =
  | 'separator'
  | { label: string; to: NonNullable<LinkProps['to']>; icon?: ReactNode }
  | { label: string; onSelect: () => void; icon?: ReactNode };

export type MenuPopupProps = {
  label: string;
  entries: readonly MenuEntry[];
  open: boolean;
  /** Opened by a key, so the first entry gets the focus. */
  byKey: boolean;
  onOpenChange: (open: boolean) => void;
  trigger: RefObject<HTMLButtonElement | null>;
  /** The list's parent in the document: next to its button, in the same landmark. */
  container: RefObject<HTMLElement | null>;
};

const rowClasses =
  'flex h-9 w-full cursor-pointer items-center gap-2.5 rounded-md px-2.5 no-underline outline-none select-none data-highlighted:bg-hover forced-colors:data-highlighted:underline [&>svg]:size-4 [&>svg]:shrink-0';

function Entry({ entry }: { entry: Exclude<MenuEntry, 'separator'> }) {
  if ('to' in entry)
    return (
      <BaseMenu.LinkItem closeOnClick label={entry.label} className={rowClasses} render={<Link to={entry.to} />}>
        {entry.icon}
        {entry.label}
      </BaseMenu.LinkItem>
    );
  return (
    <BaseMenu.Item label={entry.label} onClick={entry.onSelect} className={rowClasses}>
      {entry.icon}
      {entry.label}
    </BaseMenu.Item>
  );
}

/** The list itself; Menu loads it when one is first opened. */
export function MenuPopup(props: MenuPopupProps) {
  const { label, entries, open, byKey, onOpenChange, trigger, container } = props;
  const popup = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const pathAtOpening = useRef<string>(undefined);
  useEffect(() => {
    if (open) pathAtOpening.current = router.latestLocation.pathname;
  }, [open, router]);
  // after a link to another screen its heading has the focus, and the closing list must not take it away
  const focusAfterwards = () => (router.latestLocation.pathname === pathAtOpening.current ? trigger.current : false);
  useEffect(() => {
    if (!open || !byKey) return undefined;
    // one frame later, since the list must know its entries first
    const frame = requestAnimationFrame(() => {
      popup.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [open, byKey]);
  // one press of Tab leaves a menu (ARIA practices); by default it would move through the focus guards
  const leaveByTab = (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    event.preventDefault();
    onOpenChange(false);
  };
  return (
    <BaseMenu.Root
      open={open}
      onOpenChange={(next, details) => {
        // the button toggles the menu itself
        if (details.event.target instanceof Node && trigger.current?.contains(details.event.target)) return;
        onOpenChange(next);
      }}
    >
      <BaseMenu.Portal container={container}>
        <BaseMenu.Positioner anchor={trigger} align="end" sideOffset={6} collisionPadding={8} className="z-40">
          <BaseMenu.Popup
            ref={popup}
            aria-label={label}
            finalFocus={focusAfterwards}
            onKeyDown={leaveByTab}
            className="min-w-48 rounded-lg border border-line bg-raised p-1 text-text shadow-float transition-opacity outline-none data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            {entries.map((entry, index) =>
              entry === 'separator' ? (
                // separators have no other identity
                <BaseMenu.Separator key={`line-${index}`} className="m-1 h-px bg-line" />
              ) : (
                <Entry key={entry.label} entry={entry} />
              ),
            )}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
