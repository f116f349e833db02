import { expect, test } from 'vitest';
import { linesOf } from '../../lines-of.ts';
import { featuresFault } from './features-text.ts';

test('features are lines; too many, too long ones, and those that read like a plan are refused', () => {
  expect(linesOf(' One \n\nTwo\n')).toEqual(['One', 'Two']);
  expect(featuresFault(['One', 'A system subscription (of sorts)'])).toBeUndefined();
  expect(featuresFault(Array.from({ length: 21 }, () => 'x'))).toBe('Enter at most 20 features, one per line.');
  expect(featuresFault(['x'.repeat(121)])).toBe('A feature has at most 120 characters.');
  for (const text of ['System subscription (pro)', 'system  SUBSCRIPTION (anything)'])
    expect(featuresFault([text]), text).toMatch(/^A feature cannot be “System subscription/);
});
