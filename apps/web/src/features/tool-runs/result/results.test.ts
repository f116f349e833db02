import { expect, test } from 'vitest';
import { limitProcessor } from '../../../../../broker/src/testing/figures/limits.ts';
import { readEvents } from '#web/loading/read-events.ts';
import { readBlock } from './content-block.ts';
import { parseMarkdown, textOf, type Part } from './parse-markdown.ts';
import { webAddress } from './web-address.ts';

test('a block is shown by its type; everything except pictures, sounds and texts is a file', () => {
  const png = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  expect(readBlock(png)).toEqual({ kind: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' });
  expect(readBlock({ type: 'audio', mimeType: 'audio/wav', data: 'UklG' })).toMatchObject({ kind: 'audio' });
  for (const data of ['"><script>', 'a b', 'x;y', 'A===']) expect(readBlock({ ...png, data }).kind).toBe('file');
  expect(readBlock({ ...png, mimeType: 'image/svg+xml' }).kind).toBe('file');
  expect(readBlock({ type: 'audio', mimeType: 'text/html', data: 'UklG' }).kind).toBe('file');
  expect(readBlock({ type: 'text', text: '{"a":[1]}' })).toMatchObject({
    format: 'json',
    text: '{\n  "a": [\n    1\n  ]\n}',
  });
  expect(readBlock({ type: 'text', text: '# Title\n\nText' })).toMatchObject({ format: 'markdown' });
  expect(readBlock({ type: 'text', text: 'Costs 5 * 3, or 2 - 1.' })).toMatchObject({ format: 'text' });
  const resource = { uri: 'file:///a', mimeType: 'text/html', text: '<b># bold</b>' };
  expect(readBlock({ type: 'resource', resource })).toMatchObject({ kind: 'text', format: 'text', name: 'file:///a' });
  const blob = { uri: 'demo://x', mimeType: 'application/zip', blob: 'UEsDBA==' };
  expect(readBlock({ type: 'resource', resource: blob })).toMatchObject({ kind: 'file', bytes: 6 });
  for (const odd of [null, 7, 'text', [], {}, { type: { a: 1 } }]) expect(readBlock(odd).kind).toBe('unknown');
});

test('only web pages without a user name before their host are links', () => {
  expect(webAddress('https://a.test/x')).toEqual({ href: 'https://a.test/x', host: 'a.test' });
  const refused = [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc',
    '//a.test',
    'https://bank.test@evil.test/',
    '',
    7,
  ];
  for (const address of refused) expect(webAddress(address), String(address)).toBeUndefined();
});

/** Writes a text's parts as `kind(content)`. */
const outline = (text: string): string => outlineOf(parseMarkdown(text).parts);
function outlineOf(parts: readonly Part[]): string {
  const seen = parts.filter(({ kind, token }) => kind !== 'text' || token.content !== '');
  return seen.map(({ kind, token, parts: inner }) => `${kind}(${outlineOf(inner) || token.content})`).join(' ');
}

test('Markdown becomes blocks: headings, lists, code, tables, links; HTML and what is not closed stay text', () => {
  const text =
    '# One\ntwo **three** `four`\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n```\ncode\n```\n> said\n***\n<b>html</b>';
  const kinds = parseMarkdown(text).parts.map(({ kind }) => kind);
  expect(kinds.join(' ')).toBe('heading paragraph bullet_list table fence blockquote hr paragraph');
  const { parts } = parseMarkdown('[a](https://x.test) ![p](https://y.test/p.png) snake_case_name <b>x</b> **open');
  expect(outlineOf(parts)).toBe(
    'paragraph(link(text(a)) text( ) image(text(p)) text( snake_case_name <b>x</b> **open))',
  );
  expect(parts[0]?.parts.map(({ token }) => token.attrGet('href') ?? token.attrGet('src'))).toEqual([
    'https://x.test',
    null,
    'https://y.test/p.png',
    null,
  ]);
  expect(outline('```\nnever closed')).toBe('fence(never closed)');
});

test.each([
  ['- a\n  - b\n- c', 'bullet_list(list_item(text(a) bullet_list(list_item(text(b)))) list_item(text(c)))'],
  [
    '1. a\n   goes on\n\n   more',
    'ordered_list(list_item(paragraph(text(a) softbreak() text(goes on)) paragraph(text(more))))',
  ],
  ['> a\n> b', 'blockquote(paragraph(text(a) softbreak() text(b)))'],
  ['**a *b* c** ~~d~~', 'paragraph(strong(text(a ) em(text(b)) text( c)) text( ) s(text(d)))'],
  ['2 \\* 3 &amp; 4', 'paragraph(text(2 * 3 & 4))'],
  [
    'see https://x.test/a, x.test or a@x.test',
    'paragraph(text(see ) link(text(https://x.test/a)) text(, x.test or a@x.test))',
  ],
  ['<img src=x onerror=y>\n<!-- c -->', 'paragraph(text(<img src=x onerror=y>) softbreak() text(<!-- c -->))'],
])('Markdown %j is read as its writer means it', (text, expected) => {
  expect(outline(text)).toBe(expected);
});

test('the text of a link or image has no marks', () => {
  const { parts } = parseMarkdown('[**a** `b`\n![c](https://x.test/c.png)](https://x.test)');
  expect(textOf(parts)).toBe('a b c');
});

test('Markdown of a hostile server becomes a bounded number of parts, of a bounded depth', () => {
  const count = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + 1 + count(part.parts), 0);
  const depth = (parts: readonly Part[]): number => Math.max(0, ...parts.map((part) => 1 + depth(part.parts)));
  const columns = 5000;
  for (const text of [
    '*a **b '.repeat(4000) + '** *'.repeat(4000),
    Array.from({ length: 200 }, (_, level) => `${'  '.repeat(level)}- a\n`).join(''),
    '> '.repeat(25_000),
    `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${'|a\n'.repeat(columns)}`,
    '- a\n'.repeat(12_000),
  ]) {
    const { parts } = parseMarkdown(text);
    expect(count(parts), text.slice(0, 10)).toBeLessThanOrEqual(10_000);
    // blocks, and marks in the innermost
    expect(depth(parts), text.slice(0, 10)).toBeLessThanOrEqual(42);
  }
  expect(parseMarkdown('- a\n'.repeat(12_000)).isCut).toBe(true);
  expect(parseMarkdown('```\na\n```\n'.repeat(401)).isCut, 'a block of code has many elements').toBe(true);
  expect(parseMarkdown('- a\n'.repeat(1000)).isCut).toBe(false);
});

const hostileParts = [
  ['[', '](', '![', '[a](', '[a][b]', '[](<', '[x](http://a (', '[a]: b\n', '[a]\n', 'https://', 'https://a.b/('],
  ['*', '*a', '**a', '*a **b ', '*a_ ', '_', '~~a', '`', '`a``', '```\n', '<', '<!--', '&', '\\', 'a  \n'],
  ['|', '|-', '|-|\n', '- ', '- a\n', '* * a\n', '1. ', '# ', '> ', '> > a\n'],
].flat();
test.each(hostileParts)('Markdown of a hostile server takes linear time: %s', async (part) => {
  // what is shown is at most that long
  const text = part.repeat(Math.ceil(50_000 / part.length));
  await limitProcessor(250, () => expect(parseMarkdown(text).parts).toBeDefined());
});

test('events are read however the stream is cut; comments are skipped', async () => {
  const bytes = new TextEncoder().encode(': keepalive\n\ndata: {"a":"ü€"}\n\nevent: x\ndata: {"b":2}\n\n');
  for (const size of [1, 3, 7, 1000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    const told: unknown[] = [];
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    await readEvents(stream, (event) => told.push(event));
    expect(told, String(size)).toEqual([{ a: 'ü€' }, { b: 2 }]);
  }
});
