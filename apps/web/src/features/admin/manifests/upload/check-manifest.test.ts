import { expect, test } from 'vitest';
import { manifestFault, readManifestFile } from './check-manifest.ts';

const whole = '{"id":"atlas","name":"Atlas","serviceType":"mcp"}';

test.each([
  ['[MAN-21] an empty text', '', 'Please enter a manifest JSON or upload a file'],
  ['[MAN-21] blanks', ' \n', 'Please enter a manifest JSON or upload a file'],
  ['[MAN-23] a brace', '{', 'Invalid JSON format. Please check your manifest syntax.'],
  ...[
    '{"name":"A","serviceType":"mcp"}',
    '{"id":"a","serviceType":"mcp"}',
    '{"id":"a","name":"A"}',
    '{"name":"A"}',
    '{"serviceType":"mcp"}',
    '{"id":"a","name":null,"serviceType":""}',
    '[]',
    'null',
    '7',
  ].map((text) => [`[MAN-22] ${text}`, text, 'Invalid manifest: Missing required fields (id, name, serviceType)']),
  ['256 KiB and a byte', whole + ' '.repeat(256 * 1024 - whole.length + 1), 'Invalid manifest: is larger than 256 KiB'],
])('%s is refused before it is sent', (_name, text, wanted) => {
  expect(manifestFault(text ?? '', 'typed')?.text).toBe(wanted);
});

test.each([
  ['whole', whole],
  ['256 KiB', whole + ' '.repeat(256 * 1024 - whole.length)],
  ['a byte order mark', `\uFEFF${whole}`],
  ['NUL', whole.replace('Atlas', 'At\0las')],
  ['a duplicate key', whole.replace('{', '{"id":"first",')],
])('%s is left to the broker, which names the fault', (_name, text) => {
  expect(manifestFault(text, 'typed')).toBeUndefined();
});

test('[MAN-19] [MAN-20] a file is refused for its name, and for content that does not parse', async () => {
  for (const name of ['atlas.txt', 'atlas.json.txt', 'atlasjson', 'json', 'atlas.json5', 'atlas.json.'])
    expect(await readManifestFile(new File([whole], name)), name).toEqual({ text: 'Please select a JSON file' });
  const unreadable = 'Invalid JSON file. Please check the file format.';
  const missing = 'Something is missing here: a value, a comma or a closing bracket.';
  expect(manifestFault('{"id":', 'file')).toEqual({ text: unreadable, detail: `Line 1, column 6: ${missing}` });
  expect(manifestFault('{\n"id": }', 'file')).toEqual({ text: unreadable, detail: `Line 2, column 5: ${missing}` });
  const open = 'This is not expected here: a comma, a quote or a bracket may be missing.';
  expect(manifestFault('{"id": "a', 'file')).toEqual({ text: unreadable, detail: `Line 1, column 8: ${open}` });
  const latin = new File([new Uint8Array([0x22, 0xe9, 0x22])], 'atlas.json');
  expect(await readManifestFile(latin)).toEqual({ text: unreadable, detail: 'It is not valid UTF-8.' });
  const utf16 = new File(
    [new Uint16Array([0xfeff, ...[...whole].map((letter) => letter.charCodeAt(0))])],
    'atlas.json',
  );
  expect(await readManifestFile(utf16)).toEqual({ text: unreadable, detail: 'It is UTF-16: save it as UTF-8.' });
  expect(await readManifestFile(new File([`\uFEFF${whole}`], 'Atlas.JSON'))).toBe(`\uFEFF${whole}`);
});
