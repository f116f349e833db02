import { expect, test } from 'vitest';
import { statusTone } from './status-badge.tsx';

test('[MKT-26] [MKT-27] [MKT-28] connected is green, error is red, anything else is gray', () => {
  expect(statusTone('connected')).toBe('good');
  expect(statusTone('error')).toBe('bad');
  expect(statusTone('disconnected')).toBe('idle');
  expect(statusTone('initializing')).toBe('idle');
});
