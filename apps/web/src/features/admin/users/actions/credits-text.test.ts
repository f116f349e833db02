import { expect, test } from 'vitest';
import { creditsFault, creditsText } from './credits-text.ts';

test('[USR-22] [USR-23] the credits field accepts whole numbers from 0, and invalid input becomes 0', () => {
  const shown = { abc: '0', '': '0', '-': '0', '12x': '0', '1,250': '1250', '1 250': '1250', '007': '7', '00': '0' };
  for (const [typed, text] of Object.entries(shown)) expect(creditsText(typed), typed).toBe(text);
  expect(creditsText('1.5'), 'never ten times as much').toBe('1.5');
  expect(creditsFault('1.5')).toBe('Enter a whole number.');
  expect(creditsFault('-5')).toBe('The balance cannot be below 0.');
  expect(creditsFault('1000000001')).toBe('The balance can be 1,000,000,000 at most.');
  expect(creditsFault('0')).toBeUndefined();
});
