import { badRequest } from '../api/stripe-error.ts';

/** Currencies with three decimals, as Stripe lists them. Amounts are in thousandths. */
const threeDecimals = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);

/** Minimum charges in minor units; the dollar's applies to currencies that Stripe does not list. */
const smallestCharges = new Map<string, number>([
  ...(['usd', 'aud', 'brl', 'cad', 'chf', 'eur', 'inr', 'nzd', 'sgd'] as const).map((one) => [one, 50] as const),
  ['aed', 200],
  ['bgn', 100],
  ['czk', 1500],
  ['dkk', 250],
  ['gbp', 30],
  ['hkd', 400],
  ['huf', 17_500],
  ['jpy', 50],
  ['mxn', 1000],
  ['myr', 200],
  ['nok', 300],
  ['pln', 200],
  ['ron', 200],
  ['sek', 300],
  ['thb', 1000],
]);

const known: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency').map((one) => one.toLowerCase()));
/** ISO codes that are not payable currencies. */
const noMoney = /^x(?!af|cd|cg|of|pf)/;

/** @throws StripeError for a currency or an amount that Stripe cannot charge */
export function checkPrice(currency: string, amount: number): void {
  if (!known.has(currency) || noMoney.test(currency))
    throw badRequest(`Invalid currency: ${currency}.`, { param: 'currency' });
  if (threeDecimals.has(currency) && amount % 10 !== 0)
    throw badRequest(`Amounts of ${currency} must be divisible by 10.`, { param: 'unit_amount' });
}

/** Minimum charge in minor units. */
export const smallestCharge = (currency: string): number => smallestCharges.get(currency) ?? 50;

/** @throws StripeError amount_too_small */
export function checkSmallest(currency: string, total: number): void {
  const least = smallestCharge(currency);
  if (total >= least) return;
  const shown = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() });
  const amount = shown.format(least / 10 ** (shown.resolvedOptions().maximumFractionDigits ?? 2));
  throw badRequest(`The Checkout Session's total amount due must add up to at least ${amount} ${currency}`, {
    code: 'amount_too_small',
    param: 'line_items',
  });
}
