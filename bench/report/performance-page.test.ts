import { expect, test } from 'vitest';
import { performancePage } from './performance-page.ts';

test('a benchmark replaces its own section of the page, in its place, and keeps the others unchanged', () => {
  const first = performancePage('', 'Servers', 'a start takes 1 s\n\n| a |\n| - |');
  expect(first).toMatch(/^# Performance\n/);
  expect(first).toContain('## Calls\n\nNot measured yet: `npm run bench -- gateway --write`.\n\n## Credits');
  const second = performancePage(first, 'Calls', 'a call takes 2 ms');
  expect(second).toContain('## Calls\n\na call takes 2 ms\n\n## Credits');
  expect(second).toContain('## Servers\n\na start takes 1 s\n\n| a |\n| - |\n\n## Administration');
  const third = performancePage(second, 'Servers', 'a start takes 3 s');
  expect(third).not.toContain('1 s');
  expect(third).toBe(performancePage(third, 'Servers', 'a start takes 3 s'));
});
