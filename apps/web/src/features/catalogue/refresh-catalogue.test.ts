import { expect, test } from 'vitest';
import { refreshCatalogue } from './refresh-catalogue.ts';

test('[MKT-23] Refresh queries the broker, waits 1 second, then reloads', async () => {
  const steps: string[] = [];
  await refreshCatalogue({
    ask: async () => steps.push('ask'),
    wait: async (delayMs) => void steps.push(`wait ${delayMs}`),
    reload: async () => steps.push('reload'),
  });
  expect(steps).toEqual(['ask', 'wait 1000', 'reload']);
});

test('a refresh that the broker refuses reloads nothing', async () => {
  const steps: string[] = [];
  const refreshed = refreshCatalogue({
    ask: async () => {
      throw new Error('no');
    },
    wait: async () => void steps.push('wait'),
    reload: async () => steps.push('reload'),
  });
  await expect(refreshed).rejects.toThrow('no');
  expect(steps).toEqual([]);
});
