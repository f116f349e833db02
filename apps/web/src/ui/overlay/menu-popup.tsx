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
  /** Opened by a key: the first entry gets focus, so that the next key moves on from it. */
  byKey: boolean;
  onOpenChange: (open: boolean) => void;
  trigger: RefObject<HTMLButtonElement | null>;
  /** Where the list stands in the document: beside its button, inside the same landmark. */
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

/** The list itself, loaded when a menu is first opened: see Menu. */
export function MenuPopup(props: MenuPopupProps) {
  const { label, entries, open, byKey, onOpenChange, trigger, container } = props;
  const popup = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const pathAtOpening = useRef<string>(undefined);
  useEffect(() => {
    if (open) pathAtOpening.current = router.latestLocation.pathname;
  }, [open, router]);
  // after a link to another screen its heading has the focus: the closing list must not take it away
  const focusAfterwards = () => (router.latestLocation.pathname === pathAtOpening.current ? trigger.current : false);
  useEffect(() => {
    if (!open || !byKey) return undefined;
    // a frame later: the list must know its entries before one of them may be the current one
    const frame = requestAnimationFrame(() => {
      popup.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [open, byKey]);
  // one press leaves a menu (ARIA practices); by default focus would walk through the guards around it
  const leaveByTab = (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    event.preventDefault();
    onOpenChange(false);
  };
  return (
    <BaseMenu.Root
      open={open}
      onOpenChange={(next, details) => {
        // the trigger is ours and toggles by itself
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
                // separators have nothing else to be known by
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
