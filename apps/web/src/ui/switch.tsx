import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { useId, type ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type SwitchProps = {
  label: ReactNode;
  /** The label is read but not seen. */
  hideLabel?: boolean | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
};

/** On or off, at once. A press shows at once; put `checked` back when the call fails. */
export function Switch({ label, hideLabel, checked, onChange, disabled }: SwitchProps) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <BaseSwitch.Root
        aria-labelledby={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
        className="inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-px transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-60"
      >
        <BaseSwitch.Thumb className="size-4 rounded-full bg-line-strong transition-transform data-checked:translate-x-4 data-checked:bg-surface" />
      </BaseSwitch.Root>
      <span id={id} className={classNames(hideLabel && 'sr-only')}>
        {label}
      </span>
    </span>
  );
}
