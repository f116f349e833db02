import { Checkbox } from '#ui/form/checkbox.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { pathOf } from './check-arguments.ts';
import { ChoicesField } from './choices-field.tsx';
import { JsonInput } from './json-input.tsx';
import { ListInput } from './list-input.tsx';
import { NumberInput } from './number-input.tsx';
import {
  asRecord,
  kindOf,
  type Choice,
  type FieldKind,
  type Schema,
  type SchemaField,
  type ValueInput,
} from './schema-field.ts';
import { TextInput } from './text-input.tsx';

export type Values = Readonly<Record<string, unknown>>;

export type SchemaFieldsProps = {
  fields: readonly SchemaField[];
  /** Number of fields beyond the limit. */
  hidden: number;
  /** The whole schema, which references point into. */
  root: Schema;
  values: Values;
  onChange: (values: Values) => void;
  errors: Readonly<Record<string, string>>;
  path?: string;
  depth?: number;
};

export function SchemaFields({ fields, hidden, values, onChange, path = '', depth = 0, ...rest }: SchemaFieldsProps) {
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <>
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={Object.hasOwn(values, field.name) ? values[field.name] : undefined}
          onChange={(value) => change(field.name, value)}
          path={pathOf(path, field.name)}
          depth={depth + 1}
          {...rest}
        />
      ))}
      {hidden > 0 && <p className="text-quiet">{hidden} more can be entered as JSON.</p>}
    </>
  );
}

type OneFieldProps = ValueInput &
  Pick<SchemaFieldsProps, 'root' | 'errors'> & {
    field: SchemaField;
    path: string;
    depth: number;
  };

function OneField({ field, value, onChange, ...at }: OneFieldProps) {
  const { label, description, required, schema } = field;
  const kind = kindOf(schema, at.root, at.depth);
  const name = <span className="wrap-anywhere">{label}</span>;
  const hint =
    description === '' ? undefined : (
      <span dir="auto" className="wrap-anywhere">
        {description}
      </span>
    );
  if (kind.kind === 'boolean') {
    return <Checkbox label={name} hint={hint} checked={value === true} onChange={onChange} name={at.path} />;
  }
  if (kind.kind === 'choices') {
    const { choices } = kind;
    return (
      <ChoicesField label={name} hint={hint} choices={choices} required={required} value={value} onChange={onChange} />
    );
  }
  if (kind.kind === 'object') {
    return (
      <fieldset className="min-w-0 space-y-4 border-l-2 border-line pl-4">
        <legend className="mb-1 font-medium">{name}</legend>
        {hint && <p className="text-[0.8125rem] text-quiet">{hint}</p>}
        <SchemaFields {...at} {...kind} values={asRecord(value)} onChange={onChange} />
      </fieldset>
    );
  }
  return (
    <Field
      label={
        <>
          {name}
          {required && (
            <span aria-hidden className="ml-1.5 text-xs font-normal text-quiet">
              required
            </span>
          )}
        </>
      }
      hint={hint}
      error={Object.hasOwn(at.errors, at.path) ? at.errors[at.path] : undefined}
      required={required}
    >
      <Control kind={kind} required={required} value={value} onChange={onChange} />
    </Field>
  );
}

type ControlProps = ValueInput & {
  kind: Exclude<FieldKind, { kind: 'boolean' | 'choices' | 'object' }>;
  required: boolean;
};

function Control({ kind, required, ...input }: ControlProps) {
  switch (kind.kind) {
    case 'text':
      return <TextInput {...kind} {...input} />;
    case 'number':
      return <NumberInput {...input} />;
    case 'choice':
      return <ChoiceSelect choices={kind.choices} required={required} {...input} />;
    case 'list':
      return <ListInput items={kind.items} {...input} />;
    case 'json':
      return <JsonInput {...input} />;
  }
}

type ChoiceSelectProps = ValueInput & { choices: readonly Choice[]; required: boolean };

function ChoiceSelect({ choices, required, value, onChange }: ChoiceSelectProps) {
  const chosen = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  const options = choices.map(({ label }, index) => ({ value: String(index), label }));
  return (
    <Select
      options={[{ value: '', label: required ? 'Choose…' : 'Not set' }, ...options]}
      value={chosen === -1 ? '' : String(chosen)}
      onChange={(index) => onChange(index === '' ? undefined : choices[Number(index)]?.value)}
    />
  );
}
