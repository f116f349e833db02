import { useState } from 'react';
import { TextArea } from '#ui/form/text-area.tsx';
import { NotJson } from './check-arguments.ts';
import { hasInexactNumber, tooManyDigits } from './exact-numbers.ts';
import type { ValueInput } from './schema-field.ts';

export function JsonInput({ value, onChange }: ValueInput) {
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(parseJson(typed)) === JSON.stringify(value);
  return (
    <TextArea
      rows={4}
      placeholder='JSON: "text", 7, [1, 2] or { "name": "value" }'
      spellCheck={false}
      className="font-mono text-[0.8125rem]!"
      value={isTyped ? typed : value === undefined ? '' : JSON.stringify(value, null, 2)}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseJson(target.value));
      }}
    />
  );
}

/** Returns undefined for an empty text, and NotJson for invalid JSON. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return hasInexactNumber(text) ? new NotJson(text, tooManyDigits) : parsed;
  } catch {
    return new NotJson(text);
  }
}
