import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';

/** The reason of an action, for the audit log. Optional fields are marked as such. */
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
