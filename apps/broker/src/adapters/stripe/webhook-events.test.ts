import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stripeWebhookPath } from './stripe-sandbox.ts';
import { webhookEvents } from './webhook-events.ts';

test('docs/payments.md names the address of the webhook, and exactly the events that the broker handles', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/payments.md'), 'utf8');
  expect(page).toContain(`{PUBLIC_URL}${stripeWebhookPath}`);
  const table = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = table.flatMap((line) => line.split('|')[1]?.match(/[a-z_.]+/g) ?? []);
  expect(named).toEqual([...webhookEvents]);
});
