import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import Search from 'lucide-react/icons/search';
import { useRef, type ReactNode } from 'react';

export type Command = {
  id: string;
  label: string;
  detail?: string | undefined;
  /** Shown at the right end, for example a price. */
  hint?: string | undefined;
  icon: ReactNode;
  /** Leads to no other screen, so the focus returns to where it was. */
  stays?: boolean;
  onSelect: () => void;
};

export type CommandGroup = { label: string; items: Command[] };

export type CommandPopupProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The dialog's accessible name. */
  label: string;
  placeholder: string;
  maxLength: number;
  text: string;
  onTextChange: (text: string) => void;
  /** Commands that match the text, found by the caller. Their labels differ. */
  groups: readonly CommandGroup[];
  empty: ReactNode;
};

/** Returns the heading of the screen that a chosen command leads to. */
function screenHeading(): HTMLElement | null {
  const heading = document.querySelector<HTMLElement>('main h1') ?? document.querySelector('main');
  if (heading) heading.tabIndex = -1;
  return heading;
}

/**
 * A dialog that finds and runs commands: a text field above a list, used by arrow keys and Enter. If it is closed
 * without a choice, the focus returns to where it was.
 */
export function CommandPopup({ open, onOpenChange, label, groups, empty, ...field }: CommandPopupProps) {
  const chosen = useRef(false);
  const choose = ({ onSelect, stays = false }: Command) => {
    chosen.current = !stays;
    onOpenChange(false);
    onSelect();
  };
  const setOpen = (next: boolean) => {
    if (next) chosen.current = false;
    onOpenChange(next);
  };
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-shade transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Viewport className="fixed inset-0 flex items-start justify-center p-3 sm:pt-[12vh]">
          <Dialog.Popup
            aria-label={label}
            finalFocus={() => (chosen.current ? screenHeading() : true)}
            className="flex max-h-[min(32rem,100%)] w-full max-w-lg flex-col overflow-hidden rounded-lg border border-line bg-surface text-text shadow-float transition data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0"
          >
            <Autocomplete.Root
              open
              inline
              mode="none"
              items={groups}
              value={field.text}
              onValueChange={(text) => field.onTextChange(text)}
              itemToStringValue={({ label: name }: Command) => name}
              autoHighlight="always"
              keepHighlight
            >
              <div className="flex items-center gap-2.5 border-b border-line px-4">
                <Search aria-hidden size={16} className="shrink-0 text-faint" />
                <Autocomplete.Input
                  aria-label={label}
                  placeholder={field.placeholder}
                  maxLength={field.maxLength}
                  spellCheck={false}
                  className="h-12 w-full min-w-0 bg-transparent text-base text-ellipsis outline-none sm:text-sm"
                />
                <Dialog.Close className="shrink-0 rounded-sm border border-line px-1.5 text-xs text-quiet hover:bg-hover">
                  <span className="sr-only">Close: </span>Esc
                </Dialog.Close>
              </div>
              <div className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-2">
                <Autocomplete.Empty>
                  {groups.length === 0 && <div className="px-2 py-8 text-center text-quiet">{empty}</div>}
                </Autocomplete.Empty>
                <Autocomplete.List>
                  {(group: CommandGroup) => (
                    <Autocomplete.Group key={group.label} items={group.items} className="not-last:mb-2">
                      <Autocomplete.GroupLabel className="px-2 py-1.5 text-xs font-medium text-quiet">
                        {group.label}
                      </Autocomplete.GroupLabel>
                      <Autocomplete.Collection>
                        {(item: Command) => (
                          <Autocomplete.Item
                            key={item.id}
                            value={item}
                            onClick={() => choose(item)}
                            className="flex min-h-9 cursor-default items-center gap-3 rounded-md px-2 py-1.5 outline-none select-none data-highlighted:bg-hover forced-colors:data-highlighted:underline"
                          >
                            <span className="inline-flex size-5 shrink-0 items-center justify-center text-quiet">
                              {item.icon}
                            </span>
                            <span className="max-w-[60%] shrink-0 truncate font-medium">{item.label}</span>
                            <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-quiet">{item.detail}</span>
                            {item.hint !== undefined && (
                              <span className="shrink-0 text-[0.8125rem] text-quiet tabular-nums">{item.hint}</span>
                            )}
                          </Autocomplete.Item>
                        )}
                      </Autocomplete.Collection>
                    </Autocomplete.Group>
                  )}
                </Autocomplete.List>
              </div>
            </Autocomplete.Root>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
