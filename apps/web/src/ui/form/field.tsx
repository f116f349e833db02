import CircleAlert from 'lucide-react/icons/circle-alert';
import { useId, useMemo, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { FieldContext } from './field-context.ts';

export type FieldProps = {
  label: ReactNode;
  /** What belongs in it, below the label. */
  hint?: ReactNode;
  /** What is wrong with it; also marks the control invalid. */
  error?: string | undefined;
  required?: boolean | undefined;
  /** The label is read but not seen (a search box with an icon, say). */
  hideLabel?: boolean | undefined;
  /** One Input, TextArea or Select of ours. */
  children: ReactNode;
};

/** Label, control, hint and error, joined for screen readers. */
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
