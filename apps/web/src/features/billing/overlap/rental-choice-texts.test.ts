import { expect, test } from 'vitest';
import type { NextCharge } from '@souk/contract/billing/billing.ts';
import type { OwnRental } from './included-rentals.ts';
import { monthlySumText, rentalChoiceText } from './rental-choice-texts.ts';

const at = '2026-12-27T12:00:00.000Z';
const rental = (charge: Partial<NextCharge> | null = {}, name = 'Travel') =>
  ({
    name,
    endDate: at,
    charge: charge && { amountCents: 900, currency: 'USD', at, ...charge },
  }) as OwnRental;
const taxed = rental({ amountCents: 1071, totals: { subtotal: 900, discount: 0, tax: 171 } });
const cheaper = rental({ amountCents: 450, totals: { subtotal: 900, discount: 450, tax: 0 } });

test('a rental alongside a plan that includes it says that it ends, or at which price it renews', () => {
  expect(rentalChoiceText(rental(), true)).toBe(
    "It ends on Dec 27, 2026, instead of renewing at $9/month. You can resume it until then. This month's payment isn't refunded.",
  );
  expect(rentalChoiceText(rental(), false)).toBe('It renews on Dec 27, 2026 at $9/month.');
  expect(rentalChoiceText(rental({ plusTax: true }), false)).toBe('It renews on Dec 27, 2026 at $9/month plus tax.');
  expect(rentalChoiceText(cheaper, false), 'a discount may be for one month').toBe(
    'It renews on Dec 27, 2026 at $4.50.',
  );
  expect(rentalChoiceText(rental(null), false)).toBe('It renews on Dec 27, 2026.');
});

test('a plan and the rentals that stay alongside it are added up, if each amount is known', () => {
  const pro = { name: 'Pro', price: { amount: 1900, currency: 'USD' } };
  expect(monthlySumText(pro, [rental()])).toBe('You then pay $28 each month: $19 for Pro and $9 for Travel.');
  expect(monthlySumText(pro, [rental(), rental({ amountCents: 450 }, 'Notes')])).toBe(
    'You then pay $32.50 each month: $19 for Pro, $9 for Travel and $4.50 for Notes.',
  );
  const unknown = [rental({ plusTax: true }), taxed, cheaper, rental(null), rental({ currency: 'EUR' })];
  for (const one of unknown) expect(monthlySumText(pro, [rental(), one])).toBeUndefined();
  expect(monthlySumText({ name: 'Pro', price: undefined }, [rental()]), 'the tax on the plan').toBeUndefined();
  expect(monthlySumText(pro, []), 'no rental stays').toBeUndefined();
});
