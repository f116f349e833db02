import { expect, test } from 'vitest';
import { limitProcessor } from '../../../../../broker/src/testing/figures/limits.ts';
import { readEvents } from '#web/loading/read-events.ts';
import { readBlock } from './content-block.ts';
import { parseInline, parseMarkdown } from './parse-markdown.ts';
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

test('Markdown becomes blocks: headings, lists, code, tables, links; HTML and unclosed markup stay text', () => {
  const text =
    '# One\ntwo **three** `four`\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n```\ncode\n```\n> said\n***\n<b>html</b>';
  const kinds = parseMarkdown(text).map(({ kind }) => kind);
  expect(kinds.join(' ')).toBe('heading paragraph list table code quote rule paragraph');
  expect(parseInline('[a](https://x.test) ![p](https://y.test/p.png) snake_case_name <b>x</b> **open')).toEqual([
    { kind: 'link', text: 'a', url: 'https://x.test' },
    { kind: 'text', text: ' ' },
    { kind: 'link', text: 'p', url: 'https://y.test/p.png' },
    { kind: 'text', text: ' snake_case_name <b>x</b> **open' },
  ]);
  expect(parseMarkdown('```\nnever closed')).toEqual([{ kind: 'code', text: 'never closed' }]);
});

test.each(['[', '](', '*', '**a', '`', '_', '![', '```\n', '|', '|-', '- ', '# ', '> ', 'https://', '[a](', '1. '])(
  'Markdown of a hostile server takes linear time: %s',
  async (part) => {
    // what is shown is at most that long
    const text = part.repeat(Math.ceil(50_000 / part.length));
    await limitProcessor(250, () => expect(parseMarkdown(text)).not.toEqual([]));
  },
);

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
