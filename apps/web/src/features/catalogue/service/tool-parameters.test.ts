import { expect, test } from 'vitest';
import { toolParameters } from './tool-parameters.ts';

test('parameters have type, description and default, required ones first', () => {
  const schema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', default: 10, description: 'How many' },
      mood: { enum: ['calm', 'busy'] },
      from: { type: 'string', description: 'IATA code' },
      tags: { type: 'array', items: { type: 'string' } },
      at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      size: { type: ['number', 'null'] },
    },
    required: ['from'],
  };
  expect(toolParameters(schema)).toEqual([
    { name: 'from', type: 'string', required: true, description: 'IATA code' },
    { name: 'limit', type: 'integer', required: false, description: 'How many (default 10)' },
    { name: 'mood', type: '"calm" | "busy"', required: false, description: '' },
    { name: 'tags', type: 'string list', required: false, description: '' },
    { name: 'at', type: 'string or null', required: false, description: '' },
    { name: 'size', type: 'number or null', required: false, description: '' },
  ]);
});

test('an invalid schema gives no parameter, or one of any type', () => {
  expect(toolParameters(undefined)).toEqual([]);
  expect(toolParameters({ properties: 'none', required: {} })).toEqual([]);
  expect(toolParameters({ properties: { a: true, b: null } })).toEqual([
    { name: 'a', type: 'any', required: false, description: '' },
    { name: 'b', type: 'any', required: false, description: '' },
  ]);
});
