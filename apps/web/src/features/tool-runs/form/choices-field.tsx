import type { ReactNode } from 'react';
import { Checkbox } from '#ui/form/checkbox.tsx';
import type { Choice, ValueInput } from './schema-field.ts';

type ChoicesFieldProps = ValueInput & {
  label: ReactNode;
  hint: ReactNode;
  choices: readonly Choice[];
  required: boolean;
};

export function ChoicesField({ label, hint, choices, required, value, onChange }: ChoicesFieldProps) {
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  const toggle = (choice: Choice, isChosen: boolean) => {
    const next = choices.filter((one) => (one === choice ? isChosen : chosen.includes(one.value)));
    onChange(next.length === 0 && !required ? undefined : next.map((one) => one.value));
  };
  return (
    <fieldset className="min-w-0 space-y-1.5">
      <legend className="mb-1.5 font-medium">{label}</legend>
      {choices.map((choice) => (
        <Checkbox
          key={JSON.stringify(choice.value)}
          label={<span className="font-normal wrap-anywhere">{choice.label}</span>}
          checked={chosen.includes(choice.value)}
          onChange={(isChosen) => toggle(choice, isChosen)}
        />
      ))}
      {hint && <p className="text-[0.8125rem] text-quiet">{hint}</p>}
    </fieldset>
  );
}
