import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';

/** Why it is done, which the audit log keeps. A field of a form of the administration that may stay empty is marked so. */
export function ReasonField({
  label = 'Reason',
  required = false,
  error,
  value,
  onChange,
}: {
  label?: string | undefined;
  required?: boolean | undefined;
  error?: string | undefined;
  value: string;
  onChange: (reason: string) => void;
}) {
  return (
    <Field
      label={required ? label : `${label} (optional)`}
      hint="Kept in the audit log."
      error={error}
      required={required}
    >
      <Input value={value} maxLength={500} autoComplete="off" onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}
