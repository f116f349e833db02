import { describe, expect, test } from 'vitest';
import { checkArguments, NotJson } from './check-arguments.ts';
import { parseJson } from './json-input.tsx';
import { parseNumber } from './number-input.tsx';
import { defaultsOf, fieldsOf, kindOf, type Schema } from './schema-field.ts';

const object = (properties: Record<string, unknown>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
const kind = (schema: Schema) => kindOf(schema, schema, 1).kind;

test('each part of a schema becomes the field that fits it', () => {
  expect(kind({ type: 'string' })).toBe('text');
  expect(kindOf({ type: 'string', maxLength: 5000 }, {}, 1)).toMatchObject({ multiline: true });
  expect(kindOf({ type: 'string', format: 'date' }, {}, 1)).toMatchObject({ type: 'date' });
  expect(kindOf({ type: 'integer' }, {}, 1)).toEqual({ kind: 'number', isInteger: true });
  expect(kind({ type: 'boolean' })).toBe('boolean');
  expect(kindOf({ enum: ['a', 2, null] }, {}, 1)).toMatchObject({
    choices: [{ label: 'a' }, { label: '2' }, { label: 'null' }],
  });
  expect(kindOf({ oneOf: [{ const: 'x', title: 'Ex' }] }, {}, 1)).toEqual({
    kind: 'choice',
    choices: [{ value: 'x', label: 'Ex' }],
  });
  expect(kind({ type: 'array', items: { enum: ['a'] } })).toBe('choices');
  expect(kind({ type: 'array', items: { type: 'number' } })).toBe('list');
  expect(kind({ type: 'array', items: { type: 'object' } })).toBe('json');
  expect(kind(object({ a: { type: 'string' } }))).toBe('object');
  for (const odd of [
    {},
    { type: 7 },
    { type: ['string', 'number'] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
  ]) {
    expect(kind(odd), JSON.stringify(odd)).toBe('json');
  }
});

test('references within the schema and a type that allows null are resolved; required fields come first', () => {
  const schema = object(
    { late: { anyOf: [{ type: 'number' }, { type: 'null' }] }, first: { $ref: '#/$defs/City' } },
    { required: ['first'], $defs: { City: { type: 'string', title: 'City', description: 'Where', maxLength: 9 } } },
  );
  const { fields } = fieldsOf(schema, schema);
  expect(fields).toMatchObject([
    { name: 'first', label: 'City', required: true, description: 'Where. At most 9 characters.' },
    { name: 'late', label: 'late', required: false, schema: { type: 'number' } },
  ]);
});

describe('a hostile schema', () => {
  test('has a form of limited size: depth, fields, choices, references, texts', () => {
    const loop = object({ loop: { $ref: '#/properties/loop' }, self: { $ref: '#' } });
    expect(fieldsOf(loop, loop).fields.map(({ schema }) => kindOf(schema, loop, 1).kind)).toEqual(['json', 'object']);
    expect(kindOf(loop, loop, 4)).toEqual({ kind: 'json' });
    expect(defaultsOf(loop)).toEqual({});
    const bush = object(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, { $ref: '#' }])));
    expect(fieldsOf(bush, bush).fields.every(({ schema }) => kindOf(schema, bush, 1).kind === 'json')).toBe(true);
    expect(defaultsOf(bush)).toEqual({});
    const many = object(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, {}])));
    expect(fieldsOf(many, many)).toMatchObject({ hidden: 4940 });
    expect(kind({ enum: Array.from({ length: 201 }, (_, index) => index) })).toBe('json');
    const [long] = fieldsOf(object({ a: { title: 'x'.repeat(999), description: 'y'.repeat(9999) } }), {}).fields;
    expect([long?.label.length, (long?.description.length ?? 0) < 700]).toEqual([100, true]);
  });

  test('reaches no prototype', () => {
    const schema = object(
      { constructor: { type: 'string' }, a: { $ref: '#/constructor/prototype' } },
      { required: ['constructor'] },
    );
    expect(checkArguments({}, schema)).toEqual({ constructor: 'Required' });
    expect(fieldsOf(schema, schema).fields.at(1)?.schema).toEqual({});
    expect(Object.hasOwn(defaultsOf(JSON.parse('{"properties":{"__proto__":{"default":{"x":1}}}}')), '__proto__')).toBe(
      true,
    );
    expect('x' in {}).toBe(false);
  });
});

test('a form is checked before it is sent: required fields, numbers, JSON', () => {
  const schema = object(
    {
      name: { type: 'string' },
      age: { type: 'integer' },
      any: {},
      numbers: { type: 'array', items: { type: 'number' } },
      address: object({ street: { type: 'string' } }, { required: ['street'] }),
      agree: { type: 'boolean' },
    },
    { required: ['name', 'agree'] },
  );
  expect(
    checkArguments(
      { age: 1.5, any: new NotJson('{'), numbers: [1, new NotJson('two')], address: { city: 'Bern' } },
      schema,
    ),
  ).toEqual({
    name: 'Required',
    age: 'Enter a whole number.',
    any: 'This is not valid JSON.',
    numbers: 'Enter numbers.',
    'address.street': 'Required',
  });
  expect(checkArguments({ name: 'Ann', age: 7, any: null, numbers: [] }, schema)).toEqual({});
  expect(defaultsOf(object({ limit: { default: 10 }, agree: { type: 'boolean' } }, { required: ['agree'] }))).toEqual({
    limit: 10,
    agree: false,
  });
});

test('a required field that cannot show "Required" is sent empty, and never silently blocks a form', () => {
  const street = object({ street: { type: 'string' } }, { required: ['street'] });
  const schema = object(
    {
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
      options: object({ deep: { type: 'string' } }),
      home: street,
    },
    { required: ['tags', 'options', 'home'] },
  );
  expect(defaultsOf(schema)).toEqual({ tags: [], options: {}, home: {} });
  expect(checkArguments({}, schema)).toEqual({ 'home.street': 'Required' });
});

test('a number that a browser would change is refused by name, in a field and in JSON', () => {
  const said = 'This number has more digits than can be sent exactly.';
  const schema = object({ n: { type: 'number' }, any: {}, list: { type: 'array', items: { type: 'number' } } });
  for (const text of ['9007199254740993', '-12345678901234567890', '1E400', '0.12345678901234567891', '1e-400']) {
    const entered = { n: parseNumber(text), any: parseJson(`{"a":["${text}",${text}]}`), list: [1, parseNumber(text)] };
    expect(checkArguments(entered, schema), text).toEqual({ n: said, any: said, list: said });
  }
  for (const text of [
    '0',
    '-1',
    '7.50',
    '1e3',
    '150e-2',
    '6.02e23',
    '0.30000000000000004',
    '9007199254740991',
    ' 5 ',
  ]) {
    expect(parseNumber(text), text).toBe(Number(text));
    expect(parseJson(`{"a":${text},"b":"9007199254740993 \\" 1E400"}`), text).toMatchObject({ a: Number(text) });
  }
  expect(checkArguments({ n: parseNumber('two') }, schema)).toEqual({ n: 'This is not valid JSON.' });
});
