import { expect, test } from 'vitest';
import { slugFor } from './slug.ts';

test.each([
  ['weather', 'weather', 'weather2'],
  ['customer-support-desk', 'customer', 'customer2'],
  ['example-harbor', 'example', 'example2'],
  ['travel-tables', 'travel', 'travel2'],
  ['travel-times', 'travel-times', 'travel2'],
  ['twelve-chars-and-more', 'twelve-chars', 'twelve2'],
  ['my-spreadsheets', 'my-spreadshe', 'my-spreadsh2'],
  ['internationalization', 'internationa', 'internation2'],
])('the slug of %s is %s, and %s if that is taken', (id, slug, next) => {
  expect([slugFor(id), slugFor(id, 2)]).toEqual([slug, next]);
});
