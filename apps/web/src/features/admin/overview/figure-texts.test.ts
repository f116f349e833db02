import { expect, test } from 'vitest';
import { changeText, shareText } from './figure-texts.ts';

test.each([
  [{ now: 112, before: 100 }, '+12% from 100'],
  [{ now: 900, before: 1200 }, '-25% from 1,200'],
  [{ now: 5, before: 0 }, 'None before'],
  [{ now: 0, before: 0 }, 'None before either'],
  [{ now: 7, before: 7 }, 'As before'],
  [{ now: 0, before: 40 }, '-100% from 40'],
  [{ now: 9000, before: 3 }, '3 before'],
  [{ now: 10_001, before: 10_000 }, '10,000 before'],
  [{ now: 10, before: -5 }, '-5 before'],
  [{ now: 4, before: null }, 'The 30 days before are not counted yet'],
])('the change of %j is shown as "%s"', (figure, text) => {
  expect(changeText(figure)).toBe(text);
});

test('a share is shown in percent, and a share above zero never as 0%', () => {
  expect([shareText(0, 0), shareText(1, 40), shareText(1, 3), shareText(1, 5000)]).toEqual([
    '0%',
    '2.5%',
    '33.3%',
    'under 0.1%',
  ]);
});
