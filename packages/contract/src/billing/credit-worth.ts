import type { CreditPackage } from './billing.ts';
import type { CreditPrice } from '../catalogue/catalogue.ts';
import { decimalsOf } from './currencies.ts';

/**
 * Returns the displayed worth of credits: the price of the smallest package on sale, in which a credit costs the most
 * (decision 0078). undefined if no package is on sale.
 */
export function creditPriceOf(packages: readonly CreditPackage[]): CreditPrice | undefined {
  const [smallest] = packages.toSorted((a, b) => creditsIn(a) - creditsIn(b) || a.price - b.price);
  return smallest && { amount: smallest.price, credits: creditsIn(smallest), currency: smallest.currency };
}

const creditsIn = ({ credits, bonus }: CreditPackage) => credits + bonus;

/** '1 credit is about $0.01', rounded to the first two significant digits: '$0.0083', '$1.25'. */
export function creditWorthText({ amount, credits, currency }: CreditPrice): string {
  const code = currency.toUpperCase();
  const worth = amount / 10 ** decimalsOf(code) / credits;
  const leading = worth > 0 && worth < 1 ? -Math.floor(Math.log10(worth)) : 1;
  const text = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: code,
    minimumFractionDigits: 2,
    maximumFractionDigits: Math.min(20, leading + 1),
  }).format(worth);
  return `1 credit is about ${text}`;
}
