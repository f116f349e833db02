import { Combobox as BaseCombobox } from '@base-ui/react/combobox';
import Check from 'lucide-react/icons/check';
import ChevronDown from 'lucide-react/icons/chevron-down';
import X from 'lucide-react/icons/x';
import { useState, type ReactNode } from 'react';
import { useFieldLink } from './field-context.ts';
import { controlClasses } from './input.tsx';

export type ComboboxItem = {
  id: string;
  label: string;
  detail?: string | undefined;
};

export type ComboboxProps = {
  value: ComboboxItem | undefined;
  onChange: (item: ComboboxItem | undefined) => void;
  /** The matches for the text, found by the caller: a few of what may be thousands. */
  items: readonly ComboboxItem[];
  /** The text to search for; '' asks for the first items. */
  onTextChange: (text: string) => void;
  /** Shown below the list and announced: searching, no matches, how many more there are, or an error. */
  status?: ReactNode;
  placeholder?: string | undefined;
  maxLength?: number | undefined;
};

const sideButton =
  'inline-flex size-6 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-text';

/**
 * A choice of one among many, found by typing. Arrow keys and Enter choose; Escape closes only the list. Editing the
 * text clears the choice. Put it into a Field.
 */
export function Combobox({ value, onChange, items, onTextChange, status, placeholder, maxLength }: ComboboxProps) {
  const { required, ...link } = useFieldLink();
  // kept here, since clearing the choice would otherwise also clear what was just typed
  const [text, setText] = useState(value?.label ?? '');
  return (
    <BaseCombobox.Root
      items={items}
      value={value ?? null}
      onValueChange={(item) => {
        onChange(item ?? undefined);
        onTextChange('');
      }}
      inputValue={text}
      onInputValueChange={(next, { reason }) => {
        setText(next);
        if (reason !== 'input-change' && reason !== 'input-clear') return;
        // otherwise a form that is sent now would use a choice that the field no longer shows
        if (value && next !== value.label) onChange(undefined);
        onTextChange(next);
      }}
      itemToStringLabel={({ label }) => label}
      isItemEqualToValue={(item, chosen) => item.id === chosen.id}
      filter={null}
      autoHighlight
    >
      <BaseCombobox.InputGroup className="relative block min-w-0">
        <BaseCombobox.Input
          {...link}
          aria-required={required}
          placeholder={placeholder}
          maxLength={maxLength}
          spellCheck={false}
          className={`${controlClasses} h-9 pr-16 pl-3 text-ellipsis`}
        />
        <span className="absolute top-1/2 right-1.5 flex -translate-y-1/2 items-center">
          <BaseCombobox.Clear aria-label="Clear" className={sideButton}>
            <X aria-hidden size={15} />
          </BaseCombobox.Clear>
          <BaseCombobox.Trigger aria-label="Show the list" className={sideButton}>
            <ChevronDown aria-hidden size={16} />
          </BaseCombobox.Trigger>
        </span>
      </BaseCombobox.InputGroup>
      <BaseCombobox.Portal>
        <BaseCombobox.Positioner sideOffset={4} collisionPadding={8} className="z-40 outline-none">
          <BaseCombobox.Popup className="flex max-h-[min(var(--available-height),20rem)] w-(--anchor-width) flex-col overflow-hidden rounded-lg border border-line bg-raised text-text shadow-float">
            <BaseCombobox.List className="min-h-0 scroll-py-1 overflow-y-auto overscroll-contain not-empty:p-1">
              {(item: ComboboxItem) => (
                <BaseCombobox.Item
                  key={item.id}
                  value={item}
                  className="flex min-h-9 cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-highlighted:bg-hover forced-colors:data-highlighted:bg-[Highlight] forced-colors:data-highlighted:text-[HighlightText] forced-colors:data-highlighted:forced-color-adjust-none"
                >
                  <span className="inline-flex size-4 shrink-0 items-center justify-center">
                    <BaseCombobox.ItemIndicator>
                      <Check aria-hidden size={15} />
                    </BaseCombobox.ItemIndicator>
                  </span>
                  <span className="min-w-0 truncate font-medium">{item.label}</span>
                  <span className="min-w-0 flex-1 truncate text-right text-xs text-quiet">{item.detail}</span>
                </BaseCombobox.Item>
              )}
            </BaseCombobox.List>
            <BaseCombobox.Status className="not-empty:border-t not-empty:border-line not-empty:px-3 not-empty:py-2 not-empty:text-[0.8125rem] not-empty:text-quiet">
              {status}
            </BaseCombobox.Status>
          </BaseCombobox.Popup>
        </BaseCombobox.Positioner>
      </BaseCombobox.Portal>
    </BaseCombobox.Root>
  );
}
