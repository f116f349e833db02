import { CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { manifestCompletions } from './manifest-completions.ts';

/** Returns the completions at the bar in a text. */
function offered(text: string): string[] {
  const pos = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: [json()] });
  const result = manifestCompletions(new CompletionContext(state, pos, true));
  return (result?.options ?? []).map(({ label }) => label);
}

test('the fields that an object lacks are offered', () => {
  expect(offered('{ "id": "a", "|" }')).toEqual(expect.arrayContaining(['"name"', '"connection"', '"billing"']));
  expect(offered('{ "id": "a", "|" }')).not.toContain('"id"');
  expect(offered('{ "billing": { "tier": "T1", | } }')).toEqual(expect.arrayContaining(['"rental"', '"toolCosts"']));
});

test('the fields of a union depend on its type', () => {
  expect(offered('{ "connection": { "type": "stdio", "|" } }')).toEqual(['"command"']);
  expect(offered('{ "auth": { "type": "headers", "headers": [{ "name": "X-Key", "|" }] } }')).toEqual([
    '"from"',
    '"description"',
  ]);
});

test('the values of a field with few values are offered, in quotes or without', () => {
  expect(offered('{ "category": | }')).toEqual(['"api"', '"data"', '"productivity"']);
  expect(offered('{ "connection": { "type": "htt|" } }')).toEqual(['"http"', '"websocket"', '"stdio"']);
  expect(offered('{ "asks": ["form", "|"] }')).toContain('"sampling"');
  expect(offered('{ "billing": { "chargeOnErrors": | } }')).toEqual(['true', 'false']);
  expect(offered('{ "name": "|" }')).toEqual([]);
});
