import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../..');

/** Stripe's form for restricted keys, and so our page, names these resources differently than its client does. */
const otherWords: Readonly<Record<string, string>> = {
  accounts: 'the account',
  'billingPortal.sessions': 'portal sessions',
  'tax.registrations': 'registrations',
};

/** A resource that a call expands is read as well. */
const expanded: Readonly<Record<string, string>> = {
  default_payment_method: 'payment methods',
  invoice: 'invoices',
  latest_charge: 'charges',
  latest_invoice: 'invoices',
  payment_intent: 'payment intents',
  payment_method: 'payment methods',
  subscription: 'subscriptions',
};

function rightsOfCalls(): { reads: Set<string>; writes: Set<string> } {
  const [reads, writes] = [new Set<string>(), new Set<string>()];
  for (const file of globSync('{features,operator,app}/**/*.ts', { cwd: source })) {
    if (/\.test\.ts$|\/testing\//.test(file)) continue;
    const code = readFileSync(join(source, file), 'utf8');
    for (const [, resource = '', method = ''] of code.matchAll(/\bstripe\s*\.(\w+(?:\.\w+)?)\.(\w+)\(/g)) {
      if (resource === 'webhooks') continue;
      const words = resource.replace('.', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      const isRead = /^(?:list|retrieve)/.test(method);
      (isRead ? reads : writes).add(otherWords[resource] ?? words);
    }
    for (const [, part = ''] of code.matchAll(/'(?:data\.|invoice_settings\.)?(\w+)'/g))
      if (/\bexpand\b|sessionParts = /.test(code) && Object.hasOwn(expanded, part)) reads.add(expanded[part] ?? '');
  }
  return { reads, writes };
}

test('docs/payments.md lists the rights that a restricted key needs for the calls, each by its name', () => {
  const page = readFileSync(join(source, '../../../docs/payments.md'), 'utf8');
  const [, list = ''] = /A restricted key does as well\.([^]*?)\n2\. /.exec(page) ?? [];
  const [toWrite = '', toRead = ''] = list.replaceAll(/\s+/g, ' ').split('and to read ');
  const { reads, writes } = rightsOfCalls();
  expect(writes.size).toBeGreaterThan(5);
  expect([...writes].filter((words) => !toWrite.includes(words))).toEqual([]);
  // the right to write includes the right to read
  const readable = toWrite + toRead;
  expect([...reads].filter((words) => !readable.includes(words))).toEqual([]);
  // a promotion code names its coupon
  expect(readable.includes('coupons')).toBe(reads.has('promotion codes'));
});
