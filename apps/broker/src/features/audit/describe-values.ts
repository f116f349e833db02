import { moneyText, monthlyText } from '@souk/contract/billing/currencies.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { isRecord } from '#platform/json.ts';

const longestText = 300;
const mostItems = 20;

/** Display names of fields whose own names say too little. */
const names: Readonly<Record<string, string>> = {
  of: 'what',
  sandbox: 'demo payments',
  because: 'marked instead',
  groups: 'so far',
};

/** Turns `endsAt` into "ends at". */
export function wordsOf(name: string): string {
  return names[name] ?? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(/[-_]/g, ' ');
}

/** Fields with ids of other rows or of the payment provider. */
const idNames = new Set(['id', 'move', 'subscription']);

/** Returns whether a field has an id, which is useful only for searching. */
export const isId = (name: string): boolean => idNames.has(name) || name.endsWith('Id');

export function textOf(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isGroup)) return value.map(sayGroup).join(', ');
    const some = value.slice(0, mostItems).map(textOf).join(', ');
    return value.length > mostItems ? `${some} and ${value.length - mostItems} more` : some;
  }
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

const currencyCode = /^[A-Za-z]{3}$/;

/** Formats minor units with their currency; undefined if the values are not money. */
export function moneyOf(amount: unknown, currency: unknown, text = moneyText): string | undefined {
  const isMoney = typeof amount === 'number' && typeof currency === 'string' && currencyCode.test(currency);
  return isMoney ? text(amount, currency) : undefined;
}

/** Formats a field of an offer as the shop shows it. @param currency the offer's currency at that time */
export function offerValue(field: string, value: unknown, currency: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (field === 'amount') return moneyOf(value, currency) ?? textOf(value);
  const tier = field === 'tier' && Object.entries(tiers).find(([name]) => name === value)?.[1];
  return tier ? tier.name : textOf(value);
}

/** Subscribers with the same price, as recorded by a price move. */
type Group = { subscribers: number; amount: unknown; currency: unknown; monthlyCredits: unknown };
const isGroup = (value: unknown): value is Group => isRecord(value) && typeof value['subscribers'] === 'number';

function sayGroup({ subscribers, amount, currency, monthlyCredits }: Group): string {
  const price = moneyOf(amount, currency, monthlyText) ?? 'an unknown price';
  const credits = typeof monthlyCredits === 'number' ? ` with ${monthlyCredits} credits` : '';
  return `${subscribers} at ${price}${credits}`;
}
