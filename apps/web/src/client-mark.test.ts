import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ClientMark, initialsOf } from './client-mark.tsx';
import { clientForms } from './features/gateway/client-forms.ts';

test('a client is known by its mark, or by its initials where it has none', () => {
  const names = clientForms({ link: 'https://souk.example/mcp', title: 'Souk', name: 'souk' }).map(({ name }) => name);
  const drawn = names.filter((name) =>
    /<path d="[Mm][^"]{20,}"/.test(renderToString(createElement(ClientMark, { name }))),
  );
  expect(drawn).toEqual(['Claude', 'Claude Code', 'Cursor', 'Windsurf', 'Gemini CLI', 'Copilot CLI', 'LM Studio']);
  const lettered = names.filter((name) => !drawn.includes(name));
  expect(lettered.map((name) => [name, initialsOf(name)])).toEqual([
    ['ChatGPT', 'CG'],
    ['VS Code', 'VS'],
    ['Codex', 'C'],
    ['Other clients', 'O'],
  ]);
  for (const name of lettered) expect(renderToString(createElement(ClientMark, { name }))).toContain(initialsOf(name));
});

test('a name from outside stays text, and always has an initial', () => {
  expect(initialsOf('my agent')).toBe('M');
  expect(initialsOf('')).toBe('?');
  expect(renderToString(createElement(ClientMark, { name: '<b>x</b>' }))).not.toContain('<b>');
});
