import { Field } from '#ui/field.tsx';
import { Input } from '#ui/input.tsx';

/** Why it is done. Optional: the audit log keeps it. */
export function ReasonField({ value, onChange }: { value: string; onChange: (reason: string) => void }) {
  return (
    <Field label="Reason (optional)" hint="Kept in the audit log.">
      <Input value={value} maxLength={500} autoComplete="off" onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}
