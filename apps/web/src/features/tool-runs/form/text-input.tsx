import { Input } from '#ui/form/input.tsx';
import { TextArea } from '#ui/form/text-area.tsx';
import type { FieldKind, ValueInput } from './schema-field.ts';

/** A text field. Empty text is not sent. */
export function TextInput({ multiline, type, value, onChange }: ValueInput & Extract<FieldKind, { kind: 'text' }>) {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const change = ({ target }: { target: { value: string } }) =>
    onChange(target.value === '' ? undefined : target.value);
  if (multiline) return <TextArea value={text} onChange={change} spellCheck={false} />;
  return <Input type={type} value={text} onChange={change} autoComplete="off" />;
}
