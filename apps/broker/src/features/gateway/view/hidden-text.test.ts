import { expect, test } from 'vitest';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { hiddenText, howToGet } from './hidden-text.ts';

type Sold = Parameters<typeof howToGet>[0];

const server = (rental?: number) =>
  ({
    id: 'travel',
    manifest: {
      name: 'Travel',
      billing: { tier: 'T2', ...(rental && { rental: { price: rental, currency: 'USD' } }) },
    },
  }) as CatalogueServer;
const pro = { planId: 'pro', name: 'Pro', amount: 1900, currency: 'USD' };

/** Returns the text for a shop that sells plans, or nothing. */
const text = (sold: { plan?: typeof pro; payments?: boolean }, of = server()) => {
  const billing = { shownOffers: { planOf: () => sold.plan }, payments: sold.payments === false ? undefined : {} };
  return hiddenText('not_included', of, {
    url: 'https://souk.test/service/travel',
    howToGet: howToGet(billing as unknown as Sold),
  });
};

test('a refusal offers only what is sold: no rental without payments, and no plan if none includes the service', () => {
  const page = 'https://souk.test/service/travel';
  expect(text({ plan: pro }, server(900))).toBe(
    `Travel is not in your plan. It is included in Pro ($19/month), or you can rent it for $9/month. Get it: ${page}`,
  );
  expect(text({}, server(950))).toBe(`Travel is not in your plan. You can rent it for $9.50/month. Get it: ${page}`);
  expect(text({})).toBe(`Travel is not in your plan. No plan includes this service at the moment. Its page: ${page}`);
  expect(text({ payments: false }, server(900))).toBe(
    `Travel is not in your plan. Your administrator gives access to this service. Its page: ${page}`,
  );
});
