import { useState } from 'react';
import { Input } from '#ui/form/input.tsx';
import { NotJson } from './check-arguments.ts';
import { keepsDigits, tooManyDigits } from './exact-numbers.ts';
import type { ValueInput } from './schema-field.ts';

/** A number. The typed text stays as it is, such as '1.' on the way to '1.5'. */
export function NumberInput({ value, onChange }: ValueInput) {
  const [typed, setTyped] = useState('');
  const text = isSame(parseNumber(typed), value) ? typed : textOf(value);
  return (
    <Input
      inputMode="decimal"
      autoComplete="off"
      value={text}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseNumber(target.value));
      }}
    />
  );
}

/** Returns undefined for an empty text, and NotJson for anything but a number. */
export function parseNumber(text: string): number | NotJson | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  if (keepsDigits(text.trim())) return number;
  return new NotJson(text, Number.isNaN(number) ? undefined : tooManyDigits);
}

function isSame(one: unknown, other: unknown): boolean {
  return one instanceof NotJson && other instanceof NotJson ? one.text === other.text : one === other;
}

function textOf(value: unknown): string {
  if (value instanceof NotJson) return value.text;
  return value === undefined ? '' : String(value);
}
