import { describe, expect, test } from 'vitest';
import { addsOptionalArgument } from './adds-optional-argument.ts';

type Definition = Record<string, unknown>;
const text = { type: 'string' };
const nested = { type: 'object', properties: { a: text } };
const schema: Definition = {
  type: 'object',
  properties: { to: text, options: nested },
  required: ['to'],
  additionalProperties: false,
  $defs: { x: text },
};
const tool: Definition = { name: 'send', description: 'Sends mail.', inputSchema: schema };
const withSchema = (change: Definition): Definition => ({ ...tool, inputSchema: { ...schema, ...change } });
const properties = (change: Definition) => ({ properties: { to: text, options: nested, ...change } });

test('one or more additional optional arguments are an addition, in any order of the fields', () => {
  expect(addsOptionalArgument(tool, withSchema(properties({ cc: text })))).toBe(true);
  expect(addsOptionalArgument(tool, withSchema(properties({ cc: text, bcc: { $ref: '#/$defs/x' } })))).toBe(true);
  const none = { name: 'a', inputSchema: { type: 'object' } };
  expect(addsOptionalArgument(none, { inputSchema: { properties: { x: text }, type: 'object' }, name: 'a' })).toBe(
    true,
  );
});

describe('not only an added optional argument', () => {
  const more = { cc: text };
  const others: [string, Definition][] = [
    ['nothing', tool],
    ['a required argument', withSchema({ ...properties(more), required: ['to', 'cc'] })],
    ['another list of required arguments', withSchema({ ...properties(more), required: [] })],
    ['an argument that changes', withSchema(properties({ ...more, to: { type: 'number' } }))],
    ['an argument whose text changes', withSchema(properties({ ...more, to: { ...text, description: 'The boss' } }))],
    ['an argument that goes', { ...tool, inputSchema: { ...schema, properties: { to: text, ...more } } }],
    ['a nested argument', withSchema(properties({ options: { ...nested, properties: { a: text, b: text } } }))],
    ['additionalProperties', withSchema({ ...properties(more), additionalProperties: true })],
    ['a definition that others refer to', withSchema({ ...properties(more), $defs: { x: { type: 'number' } } })],
    ['a condition', withSchema({ ...properties(more), anyOf: [{ required: ['cc'] }] })],
    ['a minimum of arguments', withSchema({ ...properties(more), minProperties: 2 })],
    ['an argument that is mirrored in a header', withSchema(properties({ cc: { ...text, 'x-mcp-header': 'Cc' } }))],
    ['another description', { ...withSchema(properties(more)), description: 'Sends mail. Always fill in cc.' }],
    ['other annotations', { ...withSchema(properties(more)), annotations: { readOnlyHint: true } }],
    ['an output schema', { ...withSchema(properties(more)), outputSchema: { type: 'object' } }],
    ['a schema that is gone', { name: 'send', description: 'Sends mail.' }],
  ];
  test.each(others)('%s', (_, after) => {
    expect(addsOptionalArgument(tool, after)).toBe(false);
  });

  test('an argument that was required before it was described', () => {
    const before = withSchema({ required: ['to', 'cc'] });
    expect(addsOptionalArgument(before, withSchema({ ...properties(more), required: ['to', 'cc'] }))).toBe(false);
  });
});
