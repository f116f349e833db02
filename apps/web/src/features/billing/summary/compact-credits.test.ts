import { expect, test } from 'vitest';
import { compactCredits } from './compact-credits.ts';

test("[NUM-6] credits of 1000 or more are shown as 'nK', and never as more than there are", () => {
  expect([0, 999, 1000, 1050, 12_399, 1_234_567].map(compactCredits)).toEqual([
    '0',
    '999',
    '1K',
    '1K',
    '12.3K',
    '1,234.5K',
  ]);
});
