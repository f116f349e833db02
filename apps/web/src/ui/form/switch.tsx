import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { useId, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type SwitchProps = {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
};

/** Forced colors remove backgrounds, so the state shows as a filled track. */
const trackInForcedColors =
  'forced-colors:border-[ButtonText] forced-colors:bg-[Canvas] forced-colors:forced-color-adjust-none forced-colors:data-checked:border-[Highlight] forced-colors:data-checked:bg-[Highlight] forced-colors:data-disabled:border-[GrayText]';
const thumbInForcedColors = 'forced-colors:bg-[ButtonText] forced-colors:data-checked:bg-[HighlightText]';

/** A switch that applies immediately, without a form. Set `checked` back if the call fails. */
export function Switch({ label, checked, onChange, disabled }: SwitchProps) {
  const id = useId();
  return (
    <label className="inline-flex items-center gap-2">
      <BaseSwitch.Root
        aria-labelledby={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
        className={classNames(
          'inline-flex h-6 w-11 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-60',
          trackInForcedColors,
        )}
      >
        <BaseSwitch.Thumb
          className={classNames(
            'size-4.5 rounded-full bg-line-strong transition-transform data-checked:translate-x-5 data-checked:bg-surface',
            thumbInForcedColors,
          )}
        />
      </BaseSwitch.Root>
      <span id={id}>{label}</span>
    </label>
  );
}
