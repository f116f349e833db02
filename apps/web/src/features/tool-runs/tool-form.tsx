import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { TextArea } from '#ui/form/text-area.tsx';
import { checkArguments, NotJson } from './form/check-arguments.ts';
import { parseJson } from './form/json-input.tsx';
import { asRecord, defaultsOf, fieldsOf, type Schema } from './form/schema-field.ts';
import { SchemaFields, type Values } from './form/schema-fields.tsx';

export type ToolFormProps = {
  schema: Schema;
  /** Names the form for screen readers. */
  label: string;
  onSubmit: (values: Record<string, unknown>) => void;
  /** Whether the fields can also be entered as one JSON text. */
  withJson: boolean;
  children: ReactNode;
};

const jsonField = 'json';

/** A form built from a JSON schema. Its fields and its JSON are two views of the same values. */
export function ToolForm({ schema, label, onSubmit, withJson, children }: ToolFormProps) {
  const { fields, hidden } = fieldsOf(schema, schema);
  const [values, setValues] = useState<Values>(() => defaultsOf(schema));
  // the text while the values are entered as JSON
  const [json, setJson] = useState<string>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const submitted = useRef(false);
  const form = useFirstErrorFocus(errors);

  const check = (text: string | undefined, entered: Values) => {
    if (text === undefined) return checkArguments(entered, schema);
    const parsed = parseJson(text) ?? {};
    return isObject(parsed) ? {} : { [jsonField]: faultOf(parsed) };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    submitted.current = true;
    const found = check(json, values);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    onSubmit(asRecord(json === undefined ? values : parseJson(json)));
  };
  const change = (entered: Values) => {
    setValues(entered);
    // an error disappears once its field is corrected; new errors wait for the button
    if (submitted.current) {
      const found = checkArguments(entered, schema);
      setErrors((shown) =>
        Object.keys(shown).some((path) => !Object.hasOwn(found, path)) ? without(shown, found) : shown,
      );
    }
  };
  const showJson = () => {
    setErrors({});
    setJson(JSON.stringify(values, (_name, value: unknown) => (value instanceof NotJson ? value.text : value), 2));
  };
  const showFields = () => {
    const parsed = parseJson(json ?? '') ?? {};
    if (!isObject(parsed)) return setErrors({ [jsonField]: faultOf(parsed) });
    setErrors({});
    setValues(parsed);
    setJson(undefined);
  };

  return (
    <form ref={form} onSubmit={submit} noValidate aria-label={label} className="min-w-0 space-y-4">
      {json !== undefined ? (
        <Field label="Arguments as JSON" error={errors[jsonField]}>
          <TextArea
            rows={Math.min(16, Math.max(5, json.split('\n').length))}
            spellCheck={false}
            className="font-mono text-[0.8125rem]!"
            value={json}
            onChange={({ target }) => setJson(target.value)}
          />
        </Field>
      ) : fields.length === 0 ? (
        withJson && <p className="text-quiet">Takes no parameters.</p>
      ) : (
        <SchemaFields fields={fields} hidden={hidden} root={schema} values={values} onChange={change} errors={errors} />
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {children}
        {withJson && (
          <Button variant="ghost" size="small" className="ml-auto" onClick={json === undefined ? showJson : showFields}>
            {json === undefined ? 'Enter JSON' : 'Use the form'}
          </Button>
        )}
      </div>
    </form>
  );
}

function without(shown: Readonly<Record<string, string>>, found: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(shown).filter(([path]) => Object.hasOwn(found, path)));
}

function faultOf(parsed: unknown): string {
  return (parsed instanceof NotJson ? parsed.fault : undefined) ?? 'Enter a JSON object.';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NotJson);
}
