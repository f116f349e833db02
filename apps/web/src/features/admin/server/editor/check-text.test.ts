import { expect, test } from 'vitest';
import { checkText } from './check-text.ts';

const manifest = {
  id: 'travel',
  name: 'Travel',
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'Airports.',
  category: 'data',
  connection: { type: 'http', url: 'https://travel.example/mcp' },
};
const written = (value: unknown) => JSON.stringify(value, null, 2);

/** Returns each problem, with the text at its position. */
function told(text: string, refused?: Parameters<typeof checkText>[0]['refused']) {
  return checkText({ text, serverId: 'travel', refused }).problems.map(({ from, to, message }) => ({
    at: text.slice(from, to),
    message,
  }));
}

test('a valid manifest has no problem, and its version is read', () => {
  const text = written(manifest);
  const { versionAt, ...checked } = checkText({ text, serverId: 'travel' });
  expect(checked).toEqual({ problems: [], version: '1.0.0', bytes: text.length });
  expect(text.slice(versionAt?.from, versionAt?.to)).toBe('"1.0.0"');
});

test('a problem of the schema is marked at its value, at its name, or at the object that lacks it', () => {
  const { name: _name, ...rest } = manifest;
  const text = written({
    ...rest,
    colour: 'red',
    connection: { type: 'http', url: 'ftp://a' },
    billing: { tier: 'T9', toolCosts: { 'a.b[0]': -1 } },
    features: ['one', ''],
  });
  expect(told(text)).toEqual([
    { at: '{', message: 'name is missing' },
    { at: '"ftp://a"', message: expect.stringMatching(/^connection\.url must be/) },
    { at: '"colour"', message: 'colour is not a field of a manifest' },
    { at: '"T9"', message: 'billing.tier must be "T0", "T1", "T2" or "T3"' },
    { at: '-1', message: 'billing.toolCosts.a.b[0] must be 0 or more' },
    { at: '""', message: 'features[1] must not be empty' },
  ]);
  const tierless = told(written({ ...manifest, billing: {} }));
  expect(tierless.map(({ message }) => message)).toEqual(['billing.tier is missing']);
});

test('a duplicate key, a disallowed key, and too deep nesting are marked at their position', () => {
  expect(told('{ "id": "travel", "id": "other" }')).toContainEqual({ at: '"id"', message: 'id is a duplicate key' });
  expect(told('{ "__proto__": {} }')).toContainEqual({
    at: '"__proto__"',
    message: '__proto__ is not an allowed name',
  });
  expect(told(`{ "a": ${'['.repeat(80)}${']'.repeat(80)} }`)).toContainEqual({
    at: '[',
    message: 'is nested deeper than 64 levels',
  });
});

test('invalid JSON is reported once, where it begins', () => {
  expect(told('{ "id": "travel", }')).toEqual([
    { at: ',', message: 'There is a comma before a closing bracket: remove it' },
  ]);
  expect(told('{ "id": }')).toEqual([
    { at: ':', message: 'Something is missing here: a value, a comma or a closing bracket' },
  ]);
  expect(told('{ "id": oops }')[0]?.message).toMatch(/^This is not expected here/);
  expect(told('')[0]?.message).toMatch(/^Something is missing/);
  expect(told('\uFEFF{}')).toEqual([{ at: '\uFEFF', message: 'begins with a byte order mark: remove it' }]);
  expect(told('{ "id": "a\\u0000" }')[0]?.message).toBe('contains a NUL character');
});

test('a text of more than 256 KiB is refused by its bytes', () => {
  const text = `"${'é'.repeat(128 * 1024)}"`;
  expect(checkText({ text, serverId: 'travel' })).toEqual({
    problems: [{ from: 0, to: 0, message: 'is larger than 256 KiB' }],
    version: undefined,
    bytes: 256 * 1024 + 2,
  });
});

test('a refusal of the broker is marked at its field until the field is changed', () => {
  const refused = {
    text: written(manifest),
    issues: [{ path: 'connection.url', message: 'is a private address' }],
  };
  const expected = { at: '"https://travel.example/mcp"', message: 'connection.url is a private address' };
  expect(told(written(manifest), refused)).toEqual([expected]);
  expect(told(written({ ...manifest, name: 'Journeys' }), refused)).toEqual([expected]);
  const changed = { ...manifest, connection: { type: 'http', url: 'https://other.example/mcp' } };
  expect(told(written(changed), refused)).toEqual([]);
});

test('the id must be that of the address', () => {
  expect(told(written({ ...manifest, id: 'other' }))).toEqual([
    { at: '"other"', message: 'id must be travel, as in the address' },
  ]);
});

test('a deeply nested text is checked in linear time, and never overflows the stack', () => {
  expect(told('['.repeat(30_000)).length).toBeGreaterThan(0);
  expect(told(`{${'"a":{'.repeat(15_000)}`).length).toBeGreaterThan(0);
});
