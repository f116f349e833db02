import CircleAlert from 'lucide-react/icons/circle-alert';
import { useId, useMemo, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { FieldContext } from './field-context.ts';

export type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** Also marks the control as invalid. */
  error?: string | undefined;
  required?: boolean | undefined;
  /** The label is read out but not shown, as for a search box with an icon. */
  hideLabel?: boolean | undefined;
  /** One Input, TextArea, Select or Combobox of the kit. */
  children: ReactNode;
};

/** A label, a control, a hint and an error, connected for screen readers. */
export function Field({ label, hint, error, required, hideLabel, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const link = useMemo(
    () => ({
      id,
      'aria-describedby': describedBy,
      'aria-invalid': error ? (true as const) : undefined,
      required,
    }),
    [id, describedBy, error, required],
  );
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className={classNames('font-medium', hideLabel && 'sr-only')}>
        {label}
      </label>
      <FieldContext value={link}>{children}</FieldContext>
      {hint && (
        <div id={`${id}-hint`} className="text-[0.8125rem] text-quiet">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className="flex items-start gap-1.5 text-[0.8125rem] text-bad">
          <CircleAlert aria-hidden size={14} className="mt-[3px] shrink-0" />
          {error}
        </div>
      )}
    </div>
  );
}
