import { useId, type ReactNode } from 'react';

export type CheckboxProps = {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  name?: string | undefined;
};

/** A choice that is sent with a form. A Switch, in contrast, applies immediately. */
export function Checkbox({ label, hint, checked, onChange, name }: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        name={name}
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-ink"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block font-medium">
          {label}
        </label>
        {hint && (
          <div id={`${id}-hint`} className="text-[0.8125rem] text-quiet">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
