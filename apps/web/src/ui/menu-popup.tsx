import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { classNames } from './class-names.ts';
import type { MenuEntry } from './menu.tsx';

export type MenuPopupProps = {
  label: string;
  entries: readonly MenuEntry[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
  trigger: RefObject<HTMLButtonElement | null>;
  align: 'start' | 'end';
};

const rowClasses =
  'flex h-9 w-full cursor-pointer items-center gap-2.5 rounded-md px-2.5 no-underline outline-none select-none data-highlighted:bg-sunken [&>svg]:size-4 [&>svg]:shrink-0';

/** The list itself, loaded when a menu is first opened: see Menu. */
export function MenuPopup({ label, entries, open, onOpenChange, trigger, align }: MenuPopupProps) {
  return (
    <BaseMenu.Root
      open={open}
      modal={false}
      onOpenChange={(next, details) => {
        // the trigger is ours and toggles by itself
        if (details.event.target instanceof Node && trigger.current?.contains(details.event.target)) return;
        onOpenChange(next);
      }}
    >
      <BaseMenu.Portal>
        <BaseMenu.Positioner
          anchor={trigger}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-40 outline-none"
        >
          <BaseMenu.Popup
            aria-label={label}
            finalFocus={trigger}
            className="min-w-48 rounded-lg border border-line bg-raised p-1 text-text shadow-float transition-opacity outline-none data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            {entries.map((entry, index) => {
              // separators have nothing else to be known by
              if (entry === 'separator')
                return <BaseMenu.Separator key={`line-${index}`} className="mx-1 my-1 h-px bg-line" />;
              const content = (
                <>
                  {entry.icon}
                  {entry.label}
                </>
              );
              return 'to' in entry ? (
                <BaseMenu.LinkItem
                  key={entry.label}
                  closeOnClick
                  className={rowClasses}
                  render={<Link to={entry.to} />}
                >
                  {content}
                </BaseMenu.LinkItem>
              ) : (
                <BaseMenu.Item
                  key={entry.label}
                  onClick={entry.onSelect}
                  disabled={entry.disabled ?? false}
                  className={classNames(rowClasses, 'data-disabled:opacity-60', entry.tone === 'danger' && 'text-bad')}
                >
                  {content}
                </BaseMenu.Item>
              );
            })}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
