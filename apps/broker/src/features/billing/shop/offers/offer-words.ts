import { isDeepStrictEqual } from 'node:util';
import { moneyText } from '@souk/contract/billing/currencies.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';

export const count = (number: number): string => number.toLocaleString('en-US');

/** @param word such as subscriber */
export const counted = (number: number, word: string): string => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

export const tierName = (tier: Tier): string => tiers[tier].name;

const labels = {
  name: 'Name',
  description: 'Description',
  features: 'Features',
  amount: 'Price',
  currency: 'Currency',
  monthlyCredits: 'Monthly credits',
  credits: 'Credits',
  bonus: 'Bonus credits',
  tier: 'Tier',
  popular: 'Most Popular',
  place: 'Place',
} as const;
type Field = keyof typeof labels;

/** Returns the fields that differ, with their values, for the audit log. */
export function differences(
  before: OfferFields,
  after: OfferFields,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = Object.keys(labels).filter((name) => is.has(name) && !isDeepStrictEqual(was.get(name), is.get(name)));
  return {
    before: Object.fromEntries(names.map((name) => [name, was.get(name) ?? null])),
    after: Object.fromEntries(names.map((name) => [name, is.get(name) ?? null])),
  };
}

/** Returns each field that differs as a text, such as "Price: $10 to $12". */
export function changedFields(before: OfferFields, after: OfferFields): string[] {
  const { before: was, after: is } = differences(before, after);
  return sayChanges(was, is, { from: before.currency, to: after.currency });
}

/** @param was, is the fields that differ, from the audit log */
export function sayChanges(
  was: Readonly<Record<string, unknown>>,
  is: Readonly<Record<string, unknown>>,
  currency: { from: string; to: string },
): string[] {
  return (Object.keys(labels) as Field[])
    .filter((name) => name in is)
    .map((name) => `${labels[name]}: ${say(name, was[name], currency.from)} to ${say(name, is[name], currency.to)}`);
}

function say(name: Field, value: unknown, currency: string): string {
  if (name === 'amount' && typeof value === 'number') return moneyText(value, currency);
  if (name === 'tier')
    return value === 'T0' || value === 'T1' || value === 'T2' || value === 'T3' ? tierName(value) : 'none';
  if (typeof value === 'number') return count(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => `“${String(one)}”`).join(', ');
  return value === null || value === undefined || value === '' ? 'none' : `“${String(value)}”`;
}
