import { TextArea } from '#ui/form/text-area.tsx';
import { useState } from 'react';
import { NotJson } from './check-arguments.ts';
import { parseNumber } from './number-input.tsx';
import { typeOf, type Schema, type ValueInput } from './schema-field.ts';

/** A list of texts or numbers, one per line. */
export function ListInput({ items, value, onChange }: ValueInput & { items: Schema }) {
  const [typed, setTyped] = useState('');
  const isText = typeOf(items) === 'string';
  const parse = (text: string) => parseLines(text, isText);
  const isTyped = JSON.stringify(parse(typed)) === JSON.stringify(value);
  return (
    <TextArea
      rows={3}
      spellCheck={false}
      placeholder="One on each line"
      value={isTyped ? typed : textOf(value)}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parse(target.value));
      }}
    />
  );
}

/** Returns the lines that are not empty; undefined if there are none. */
function parseLines(text: string, isText: boolean): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return isText ? lines : lines.map(parseNumber);
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value
    .map((item: unknown) =>
      item instanceof NotJson ? item.text : typeof item === 'string' ? item : JSON.stringify(item),
    )
    .join('\n');
}
